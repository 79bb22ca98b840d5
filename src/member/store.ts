/** A member whose engine stands on a store: from opening the store to the last write in it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineFactory } from '../engines/factory.ts';
import type { RegisterDriver } from '../engines/register-driver.ts';
import type { Engine } from '../group/engine.ts';
import type { RegisterEvent } from '../group/register.ts';
import type { Links } from '../net/links.ts';
import { advertised } from './advertise.ts';
import type { GroupDriver } from './driver.ts';
import type { JoinSettings } from './join-settings.ts';

export interface OpenStore {
  readonly engine: Engine;
  readonly driver: RegisterDriver;
}

/** Connects to the store. If it cannot be used, closes the links and rejects. */
export async function openStore(
  factory: EngineFactory,
  links: Links,
  { group = 'latchkey', advertise, log = () => {} }: JoinSettings,
  step: (event: RegisterEvent) => void,
): Promise<OpenStore> {
  try {
    return await factory.open({
      group,
      address: advertised(links.address, advertise),
      step,
      log: (message) => log({ level: 'warn', message }),
    });
  } catch (error) {
    await links.close();
    throw error;
  }
}

const LEAVE_MS = 2000;
const LOOK_MS = 5;

/** The member has left: waits until the store knows it, or for two seconds, and closes the store. */
export async function leaveStore(driver: GroupDriver, store: RegisterDriver): Promise<void> {
  const until = performance.now() + LEAVE_MS;
  while (driver.isEngineBusy && performance.now() < until) await sleep(LOOK_MS);
  await store.close();
}
