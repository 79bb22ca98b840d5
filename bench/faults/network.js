/**
 * Places for members: a network namespace each, on one bridge, at whose own address the store listens. Links are cut by
 * dropping packets, in one direction or in both. It needs root, `ip` and `nft`; nothing leaves this machine.
 */
import { execFileSync, spawnSync } from 'node:child_process';

const BITS = 24;
/** Members have the addresses from here on; the bridge has 1. */
const FIRST = 10;
/** Of the bridge. Without one of its own it would take that of a link whenever links are added. */
const MAC = '02:00:00:00:00:01';

/** Why there can be no namespaces here, in one line; null if there can. */
export function noNetwork() {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const [program, debian] of [
    ['ip', 'iproute2'],
    ['nft', 'nftables'],
  ]) {
    if (spawnSync(program, ['-V']).error) return `no ${program}: apt-get install ${debian}`;
  }
  const name = `lkprobe${process.pid}`;
  const { status, stderr } = spawnSync('ip', ['netns', 'add', name]);
  if (status !== 0) return `no network namespaces: ${String(stderr).trim()}`;
  spawnSync('ip', ['netns', 'del', name]);
  return null;
}

export class Network {
  /** The address of the store. */
  host;
  #bridge;
  #subnet;
  #names = [];
  #addresses = new Map();

  constructor() {
    // Two runs at once must not share an address: the number of the process tells them apart.
    const id = process.pid % 65_536;
    this.#bridge = `lk${id}`;
    this.#subnet = `10.${150 + ((id >> 8) % 100)}.${id & 255}`;
    this.host = `${this.#subnet}.1`;
    ip('link', 'add', this.#bridge, 'address', MAC, 'type', 'bridge');
    process.on('exit', this.#onExit);
    ip('addr', 'add', `${this.host}/${BITS}`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
  }

  /** A place for a member: what stands before its command, and where it listens. */
  place(member) {
    if (!this.#addresses.has(member)) this.#add(member);
    const prefix = ['ip', 'netns', 'exec', this.#space(member)];
    return { prefix, listen: `${this.#addresses.get(member)}:7101`, shortcut: false };
  }

  /** Drops all packets from one member, or `store`, to another. */
  cut(from, to) {
    if (from === 'store') this.#drop(to, 'in', 'saddr', this.host);
    else this.#drop(from, 'out', 'daddr', to === 'store' ? this.host : this.#addresses.get(to));
  }

  cutBoth(a, b) {
    this.cut(a, b);
    this.cut(b, a);
  }

  /** All links are as they were. */
  heal() {
    for (const member of this.#addresses.keys()) this.healOf(member);
  }

  healOf(member) {
    nft(this.#space(member), 'flush chain inet faults in; flush chain inet faults out');
  }

  close() {
    process.off('exit', this.#onExit);
    this.#onExit();
  }

  // Also where the program ends by an error: namespaces outlive the processes in them.
  #onExit = () => {
    for (const name of this.#names) spawnSync('ip', ['netns', 'del', name]);
    spawnSync('ip', ['link', 'del', this.#bridge]);
    this.#names = [];
  };

  #space = (member) => `${this.#bridge}-${member}`;

  #add(member) {
    const space = this.#space(member);
    const number = this.#names.length + FIRST;
    const address = `${this.#subnet}.${number}`;
    ip('netns', 'add', space);
    this.#names.push(space);
    const [outer, inner] = [`${this.#bridge}o${number}`, `${this.#bridge}i${number}`];
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', space);
    ip('link', 'set', outer, 'master', this.#bridge, 'up');
    ip('-n', space, 'addr', 'add', `${address}/${BITS}`, 'dev', inner);
    ip('-n', space, 'link', 'set', inner, 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
    nft(
      space,
      `add table inet faults
       add chain inet faults in { type filter hook input priority 0; }
       add chain inet faults out { type filter hook output priority 0; }`,
    );
    this.#addresses.set(member, address);
  }

  #drop(member, chain, field, address) {
    nft(this.#space(member), `add rule inet faults ${chain} ip ${field} ${address} drop`);
  }
}

const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'inherit'] });
const nft = (space, script) =>
  execFileSync('ip', ['netns', 'exec', space, 'nft', '-f', '-'], { input: script });
