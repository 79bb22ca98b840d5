/** The contract of every transport; `test/net/transports.test.ts` runs it over each. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Acceptor,
  type Connection,
  type ConnectionHandler,
  ListenError,
  type Listener,
  type Transport,
} from '../../src/net/transport.ts';
import { until } from './net-until.ts';

export interface Setting {
  readonly listening: Transport;
  readonly dialing: Transport;
  /** One that is free; a port of 0 where there are ports. */
  readonly address: string;
  /** What each end reads in the certificate of the other. */
  readonly names?: { readonly ofDialer: string; readonly ofListener: string };
  /** After everything is closed: is anything left behind? */
  readonly leftovers?: () => unknown;
}

/** One end of a connection, with a record of its events. */
class Tester implements ConnectionHandler {
  connection!: Connection;
  readonly chunks: Uint8Array[] = [];
  openings = 0;
  drains = 0;
  readonly closings: (Error | undefined)[] = [];

  opened(): void {
    this.openings++;
  }

  data(bytes: Uint8Array, length = bytes.length): void {
    expect(this.closings).toEqual([]);
    this.chunks.push(Uint8Array.from(bytes.subarray(0, length)));
  }

  drained(): void {
    this.drains++;
  }

  closed(error: Error | undefined): void {
    this.closings.push(error);
  }

  get received(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Accepts all connections. */
class AcceptAll implements Acceptor {
  readonly accepted: Tester[] = [];
  arrived = 0;
  left = 0;
  turnsAway = false;

  accept(remote: string, cut: () => void) {
    expect(remote).not.toBe('');
    this.arrived++;
    if (this.turnsAway) cut();
    return {
      established: (connection: Connection) => {
        const tester = new Tester();
        tester.connection = connection;
        this.accepted.push(tester);
        return tester;
      },
      failed: () => {},
      closed: () => {
        this.left++;
      },
    };
  }
}

export function transportSuite(name: string, setUp: () => Setting): void {
  describe(name, () => {
    let setting: Setting;
    let acceptor: AcceptAll;
    let listener: Listener;
    let testers: Tester[];

    beforeEach(async () => {
      setting = setUp();
      acceptor = new AcceptAll();
      testers = [];
      listener = await setting.listening.listen(setting.address, acceptor);
    });

    afterEach(async () => {
      const closed = listener.close();
      for (const tester of [...testers, ...acceptor.accepted]) tester.connection.destroy();
      await closed;
      await until(() => [...testers, ...acceptor.accepted].every((t) => t.closings.length === 1));
      await until(() => acceptor.left === acceptor.arrived);
      if (setting.leftovers !== undefined) expect(setting.leftovers()).toEqual([]);
    });

    function dial(address = listener.address): Tester {
      const tester = new Tester();
      tester.connection = setting.dialing.dial(address, tester);
      testers.push(tester);
      expect(tester.openings + tester.closings.length, 'nothing before dial returns').toBe(0);
      return tester;
    }

    async function connect(): Promise<readonly [Tester, Tester]> {
      const near = dial();
      await until(() => near.openings === 1 && acceptor.accepted.length === testers.length);
      return [near, acceptor.accepted.at(-1)!];
    }

    const pattern = (length: number, seed: number) =>
      Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 7 + seed) & 255));

    test('carries bytes both ways, in order', async () => {
      const [near, far] = await connect();
      const [there, back] = [pattern(3_000_000, 1), pattern(1_000_000, 2)];
      for (let at = 0; at < there.length; at += 70_001) {
        near.connection.write(there.subarray(at, at + 70_001));
      }
      for (let at = 0; at < back.length; at += 999) {
        far.connection.write(back.subarray(at, at + 999));
      }
      const size = (t: Tester) => t.chunks.reduce((sum, c) => sum + c.length, 0);
      await until(() => size(far) >= there.length && size(near) >= back.length);
      expect(far.received.equals(there)).toBe(true);
      expect(near.received.equals(back)).toBe(true);
      expect([near.openings, far.openings]).toEqual([1, 0]);
    });

    test('applies back-pressure', async () => {
      const [near, far] = await connect();
      let written = 0;
      const piece = pattern(65_536, 3);
      let goOn = true;
      while (goOn && written < 64 * 1024 * 1024) {
        goOn = near.connection.write(piece);
        written += piece.length;
      }
      expect(goOn).toBe(false);
      await until(() => near.drains > 0);
      await until(() => far.received.length === written);
      expect(near.connection.write(pattern(10, 4))).toBe(true);
    });

    test('ends after everything is written', async () => {
      const [near, far] = await connect();
      const all = pattern(500_000, 5);
      near.connection.write(all);
      near.connection.end();
      await until(() => far.closings.length > 0 && near.closings.length > 0);
      expect(far.received.equals(all)).toBe(true);
      expect([near.closings, far.closings]).toEqual([[undefined], [undefined]]);
    });

    test('breaks when one end destroys it', async () => {
      for (const which of [0, 1]) {
        const ends = await connect();
        ends[which]!.connection.destroy();
        await until(() => ends.every((end) => end.closings.length === 1));
      }
    });

    test('reports an error where no process listens', async () => {
      await listener.close();
      const lost = dial();
      await until(() => lost.closings.length === 1);
      expect(lost.closings[0]).toBeInstanceOf(Error);
      expect(lost.openings).toBe(0);
    });

    test('can be given up while dialing', async () => {
      const tester = dial();
      tester.connection.destroy();
      await until(() => tester.closings.length === 1);
      expect(tester.openings).toBe(0);
    });

    test('can be cut before it is established', async () => {
      acceptor.turnsAway = true;
      const near = dial();
      await until(() => near.closings.length === 1 && acceptor.left === 1);
      expect(acceptor.accepted).toEqual([]);
    });

    test('refuses an address that is in use', async () => {
      const second = setting.listening.listen(listener.address, acceptor);
      const error = await second.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ListenError);
      expect(error).toMatchObject({ address: listener.address, cause: { code: 'EADDRINUSE' } });
      expect((error as Error).message).toContain(listener.address);
      expect((error as Error).message).toContain('stop that one, or listen elsewhere');
    });

    test('can listen again at a closed address', async () => {
      const { address } = listener;
      await connect();
      for (const tester of [...testers, ...acceptor.accepted]) tester.connection.destroy();
      await listener.close();
      listener = await setting.listening.listen(address, acceptor);
      await connect();
    });

    test('reports the names of certificates', async () => {
      const [near, far] = await connect();
      if (setting.names === undefined) {
        expect([near.connection.names, far.connection.names]).toEqual([undefined, undefined]);
      } else {
        expect(near.connection.names).toContain(setting.names.ofListener);
        expect(far.connection.names).toContain(setting.names.ofDialer);
      }
    });
  });
}
