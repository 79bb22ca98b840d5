/** The daemon's end of a connection, for tests that decide themselves what the daemon answers. */
import type { Socket } from 'node:net';
import { FormOfClient } from '../../src/client/forms.ts';
import type { ClientMessage, DaemonMessage } from '../../src/client/protocol.ts';
import { Writer } from '../../src/core/wire.ts';

/** Calls back for each message of the client. Returns how to send it messages, in the form that it speaks. */
export function answerClient(
  socket: Socket,
  hear: (message: ClientMessage, send: (message: DaemonMessage) => void) => void,
): (message: DaemonMessage) => void {
  const form = new FormOfClient(1_000_000);
  const send = (message: DaemonMessage): void => {
    const writer = new Writer();
    form.write(writer, message);
    socket.write(writer.take());
  };
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    form.read(chunk, chunk.length, (message) => {
      hear(message, send);
      return true;
    });
  });
  return send;
}
