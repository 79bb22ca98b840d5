/**
 * Version 2 of the protocol between a daemon and its clients: the messages of version 1 in frames. docs/clients.md
 * describes it for programs in other languages.
 *
 * A frame is a length (4 bytes, big endian, of what follows), a kind (1 byte), and the fields of that kind. The
 * messages of every lock and release have kinds of their own; all others are the JSON of version 1 in a frame.
 *
 * | kind | fields |
 * |---|---|
 * | 0 JSON | the message as version 1 writes it, without the end of the line, in UTF-8 |
 * | 1 ASK | id, manner (1 byte), permits, name |
 * | 2 DONE | id |
 * | 3 GRANTED | id, epoch, clock |
 * | 4 BUSY | id |
 * | 5 ASK, and the lock may be lent | as ASK |
 * | 6 LENT | id, epoch, clock, reentries, step |
 * | 7 RECALL | id |
 * | 8 USING | id, reentries |
 *
 * The manner is 0 for an exclusive and 1 for a shared request, plus 0 to wait, 2 to try, 4 to steal. Numbers and names
 * are encoded as between members (core/wire.ts, core/text.ts).
 */
import { text } from '../core/text.ts';
import { int, Malformed, natural, Reader, type Writer } from '../core/wire.ts';
import { LENGTH_BYTES, putUint32 } from '../net/frames.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  ProtocolError,
  readClientMessage,
  readDaemonMessage,
} from './protocol.ts';

/**
 * What a client sends before its first frame. No line of JSON begins with the byte 0. The end of the line makes a daemon
 * that speaks only version 1 refuse at once.
 */
export const PREAMBLE = Uint8Array.from([0, 0x4c, 0x4b, 0x43, 0x0a]);

const JSON_TEXT = 0;
const ASK = 1;
const DONE = 2;
const GRANTED = 3;
const BUSY = 4;
const ASK_LENDING = 5;
const LENT = 6;
const RECALL = 7;
const USING = 8;

const MODES = ['exclusive', 'shared'] as const;
const MANNERS = ['wait', 'try', 'steal'] as const;

/** Appends a frame with this message. */
export function writeFrame(to: Writer, message: ClientMessage | DaemonMessage): void {
  const at = to.length;
  switch (message.type) {
    case 'ask':
      begin(to, message.mayLend === true ? ASK_LENDING : ASK);
      int.write(to, message.id);
      to.byte(MODES.indexOf(message.mode) + 2 * MANNERS.indexOf(message.how));
      int.write(to, message.permits);
      text.write(to, message.name);
      break;
    case 'granted':
      begin(to, GRANTED);
      int.write(to, message.id);
      int.write(to, message.epoch);
      int.write(to, message.clock);
      break;
    case 'done':
    case 'busy':
    case 'recall':
      begin(to, message.type === 'done' ? DONE : message.type === 'busy' ? BUSY : RECALL);
      int.write(to, message.id);
      break;
    case 'lent':
      begin(to, LENT);
      int.write(to, message.id);
      int.write(to, message.epoch);
      int.write(to, message.clock);
      int.write(to, message.reentries);
      int.write(to, message.step);
      break;
    case 'using':
      begin(to, USING);
      int.write(to, message.id);
      int.write(to, message.reentries);
      break;
    default:
      begin(to, JSON_TEXT);
      to.append(Buffer.from(JSON.stringify(message)));
  }
  finish(to, at);
}

/** Appends a frame with a message that is JSON already. */
export function writeJsonFrame(to: Writer, json: string): void {
  const at = to.length;
  begin(to, JSON_TEXT);
  to.append(Buffer.from(json));
  finish(to, at);
}

/** The message in `bytes[start]` to `bytes[end - 1]`: a frame without its length. Throws a ProtocolError. */
export const readClientFrame = (bytes: Uint8Array, start: number, end: number): ClientMessage =>
  readFrame(bytes, start, end, readClientFields, readClientMessage);

export const readDaemonFrame = (bytes: Uint8Array, start: number, end: number): DaemonMessage =>
  readFrame(bytes, start, end, readDaemonFields, readDaemonMessage);

function readFrame<M>(
  bytes: Uint8Array,
  start: number,
  end: number,
  readFields: (kind: number, fields: Reader) => M,
  readJson: (json: string) => M,
): M {
  const fields = new Reader(bytes, start, end);
  try {
    const kind = fields.byte();
    if (kind === JSON_TEXT) return readJson(Buffer.from(fields.rest()).toString());
    const message = readFields(kind, fields);
    if (fields.left > 0) throw new Malformed(`${fields.left} bytes are left over`);
    return message;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new ProtocolError('malformed', `a frame that is not as declared: ${error.message}`);
  }
}

function readClientFields(kind: number, fields: Reader): ClientMessage {
  if (kind === DONE) return { type: 'done', id: natural.read(fields) };
  if (kind === USING) {
    return { type: 'using', id: natural.read(fields), reentries: natural.read(fields) };
  }
  if (kind !== ASK && kind !== ASK_LENDING) throw unknownKind(kind);
  const id = natural.read(fields);
  const manner = fields.byte();
  const how = MANNERS[manner >> 1];
  if (how === undefined) throw new Malformed(`there is no manner ${manner}`);
  const mode = MODES[manner & 1]!;
  const permits = natural.read(fields);
  const name = text.read(fields);
  const mayLend = kind === ASK_LENDING ? true : undefined;
  return { type: 'ask', id, name, permits, mode, how, mayLend };
}

function readDaemonFields(kind: number, fields: Reader): DaemonMessage {
  if (kind === BUSY) return { type: 'busy', id: natural.read(fields) };
  if (kind === RECALL) return { type: 'recall', id: natural.read(fields) };
  if (kind !== GRANTED && kind !== LENT) throw unknownKind(kind);
  const id = natural.read(fields);
  const epoch = natural.read(fields);
  const clock = natural.read(fields);
  if (kind === GRANTED) return { type: 'granted', id, epoch, clock };
  const reentries = natural.read(fields);
  return { type: 'lent', id, epoch, clock, reentries, step: natural.read(fields) };
}

const unknownKind = (kind: number): ProtocolError =>
  new ProtocolError('unknown-message', `an unknown message: there is no frame of kind ${kind}`);

/** Begins a frame. Its length is written by `finish`. */
function begin(to: Writer, kind: number): void {
  for (let i = 0; i < LENGTH_BYTES; i++) to.byte(0);
  to.byte(kind);
}

/** The frame that began at this position is complete. */
const finish = (to: Writer, at: number): void =>
  putUint32(to.bytes, at, to.length - at - LENGTH_BYTES);
