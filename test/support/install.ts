/** What tests need from Debian's packages, installed where root and apt-get are there. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's package manager installs for one process at a time. */
const INSTALLING = join(tmpdir(), 'latchkey-installing.lock');

/** Another test process may be about to install a program: its files are there before it can be started. */
export function waitForInstalls(): void {
  if (existsSync(INSTALLING)) spawnSync('/usr/bin/flock', [INSTALLING, 'true']);
}

export function install(debian: string, flags = '--no-install-recommends'): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // Debian would start a server as a service: a policy of 101 says no.
  const script = `dpkg-query -W -f '\${Status}' ${debian} | grep -q ' installed' && exit
    printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d
    apt-get update; apt-get install -y ${flags} ${debian}; rm -f /usr/sbin/policy-rc.d`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('/usr/bin/flock', [INSTALLING, 'sh', '-c', script], { env });
}
