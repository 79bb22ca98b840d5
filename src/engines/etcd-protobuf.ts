/**
 * The few messages of etcd that the register uses, as protocol buffers. Values have the form of etcd's JSON gateway: bytes
 * are base64, 64-bit numbers are decimal text.
 */
type Kind = 'bytes' | 'text' | 'int64' | 'bool' | 'enum' | Schema;
/** The fields that we know, by name: number, kind, and whether there may be several. */
interface Schema {
  readonly [field: string]: readonly [number: number, kind: Kind, repeated?: 'repeated'];
}
type Value = { [field: string]: unknown };

const HEADER: Schema = { cluster_id: [1, 'int64'], revision: [3, 'int64'] };
const KEY_VALUE: Schema = { key: [1, 'bytes'], mod_revision: [3, 'int64'], value: [5, 'bytes'] };
const RANGE: Schema = {
  key: [1, 'bytes'],
  range_end: [2, 'bytes'],
  revision: [4, 'int64'],
  count_only: [9, 'bool'],
};
const COMPARE: Schema = {
  ...{ result: [1, 'enum'], target: [2, 'enum'] },
  ...{ key: [3, 'bytes'], mod_revision: [6, 'int64'] },
};
const OPERATION: Schema = {
  request_put: [2, { key: [1, 'bytes'], value: [2, 'bytes'] }],
  request_delete_range: [3, { key: [1, 'bytes'] }],
};
const ENUMS: { readonly [name: string]: bigint } = { EQUAL: 0n, MOD: 2n };

/** By the path that the gateway has for it. */
export const METHODS: {
  readonly [path: string]: {
    readonly name: string;
    readonly asks: Schema;
    readonly answers: Schema;
  };
} = {
  '/v3/kv/range': {
    name: '/etcdserverpb.KV/Range',
    asks: RANGE,
    answers: { header: [1, HEADER], kvs: [2, KEY_VALUE, 'repeated'] },
  },
  '/v3/kv/txn': {
    name: '/etcdserverpb.KV/Txn',
    asks: { compare: [1, COMPARE, 'repeated'], success: [2, OPERATION, 'repeated'] },
    answers: { header: [1, HEADER], succeeded: [2, 'bool'] },
  },
  '/v3/watch': {
    name: '/etcdserverpb.Watch/Watch',
    asks: { create_request: [1, RANGE] },
    answers: {},
  },
  '/v3/auth/authenticate': {
    name: '/etcdserverpb.Auth/Authenticate',
    asks: { name: [1, 'text'], password: [2, 'text'] },
    answers: { token: [2, 'text'] },
  },
  '/v3/maintenance/status': {
    name: '/etcdserverpb.Maintenance/Status',
    asks: {},
    answers: { header: [1, HEADER], version: [2, 'text'] },
  },
};

const VARINT = 0n;
const LENGTH = 2n;

export function encodeMessage(schema: Schema, value: object): Buffer {
  const parts: Buffer[] = [];
  for (const [field, [number, kind, repeated]] of Object.entries(schema)) {
    const given = (value as Value)[field];
    if (given === undefined) continue;
    for (const one of repeated ? (given as unknown[]) : [given]) {
      const isVarint = kind === 'int64' || kind === 'bool' || kind === 'enum';
      const bytes = encodeField(kind, one);
      parts.push(varint((BigInt(number) << 3n) | (isVarint ? VARINT : LENGTH)));
      if (!isVarint) parts.push(varint(BigInt(bytes.length)));
      parts.push(bytes);
    }
  }
  return Buffer.concat(parts);
}

function encodeField(kind: Kind, value: unknown): Buffer {
  if (typeof kind === 'object') return encodeMessage(kind, value as object);
  if (kind === 'bytes') return Buffer.from(value as string, 'base64');
  if (kind === 'text') return Buffer.from(value as string, 'utf8');
  if (kind === 'enum') return varint(ENUMS[value as string]!);
  return varint(kind === 'bool' ? (value ? 1n : 0n) : BigInt(value as string));
}

/** Negative numbers take ten bytes, as the format has it. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Fields that we do not know are passed over. */
export function decodeMessage(schema: Schema, bytes: Buffer): Value {
  const names = new Map(Object.entries(schema).map(([name, field]) => [field[0], name]));
  const value: Value = {};
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const tag = readVarint(reader);
    const raw = readRaw(reader, tag & 7n);
    const name = names.get(Number(tag >> 3n));
    if (name === undefined) continue;
    const [, kind, repeated] = schema[name]!;
    const one = decodeField(kind, raw);
    if (repeated) value[name] = [...((value[name] as unknown[]) ?? []), one];
    else value[name] = one;
  }
  return value;
}

function decodeField(kind: Kind, raw: bigint | Buffer): unknown {
  if (typeof raw === 'bigint') return kind === 'bool' ? raw === 1n : raw.toString();
  if (typeof kind === 'object') return decodeMessage(kind, raw);
  return raw.toString(kind === 'bytes' ? 'base64' : 'utf8');
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function readRaw(reader: Reader, wireType: bigint): bigint | Buffer {
  if (wireType === VARINT) return readVarint(reader);
  const fixed: { [type: string]: number } = { 1: 8, 5: 4 };
  const length = wireType === LENGTH ? Number(readVarint(reader)) : fixed[`${wireType}`];
  if (length === undefined || reader.at + length > reader.bytes.length) {
    throw new Error('etcd sent a message that is malformed');
  }
  reader.at += length;
  return reader.bytes.subarray(reader.at - length, reader.at);
}

function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw new Error('etcd sent a message that is malformed');
}
