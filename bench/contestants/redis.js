/** A Redis server as the contestants on it start and reach it. */
import { Redis } from 'ioredis';
import { freePorts, programAt, scratch, serve } from '../locks/server.js';

const program = programAt('redis-server');

export const available = () => program !== undefined || 'needs the Debian package redis-server';

export async function startRedis() {
  const [port] = await freePorts(1);
  const memoryOnly = ['--save', '', '--appendonly', 'no'];
  const at = ['--bind', '127.0.0.1', '--port', String(port), '--dir', scratch()];
  return serve([program, ...at, ...memoryOnly], port);
}

export async function connect({ port }) {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true });
  await redis.connect();
  return redis;
}
