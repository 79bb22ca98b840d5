/** Starts and connects to the Redis server that several contestants share. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePorts, programAt, scratch, serve } from '../locks/server.js';

const program = programAt('redis-server');

export const available = () => program !== undefined || 'needs the Debian package redis-server';

export async function startRedis() {
  const [port] = await freePorts(1);
  const memoryOnly = ['--save', '', '--appendonly', 'no'];
  const dir = scratch();
  const path = join(dir, 'redis.sock');
  const at = ['--bind', '127.0.0.1', '--port', String(port), '--unixsocket', path, '--dir', dir];
  return { ...(await serve([program, ...at, ...memoryOnly], port)), path };
}

/** Over its Unix socket, where a path is given. */
export async function connect({ port, path }) {
  const at = path === undefined ? { host: '127.0.0.1', port } : { path };
  const redis = new Redis({ ...at, lazyConnect: true });
  await redis.connect();
  return redis;
}
