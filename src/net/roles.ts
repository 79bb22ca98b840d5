/**
 * Roles in certificates. A DNS name `member.GROUP.latchkey` or `client.GROUP.latchkey` among the subject
 * alternative names says what its owner may be, and in which group. A certificate may have several of them.
 */
import type { PeerCertificate } from 'node:tls';

export type Role = 'member' | 'client';

/** The CN and the DNS names of a certificate. */
export function certificateNames({
  subject,
  subjectaltname = '',
}: Partial<PeerCertificate>): readonly string[] {
  const common = subject?.CN as string | string[] | undefined;
  const others = subjectaltname.split(', ').filter((name) => name.startsWith('DNS:'));
  return [common ?? [], others.map((name) => name.slice(4))].flat(2);
}

/**
 * Why a certificate with these names is not good for this role; undefined if it is. A certificate that names
 * no role at all is good for any, unless roles are required.
 */
export function refusalOfRole(
  names: readonly string[],
  role: Role,
  group: string | undefined,
  isRequired: boolean,
): string | undefined {
  const roles = names.filter((name) => /^(member|client)\..+\.latchkey$/.test(name));
  const wanted = `${role}.${group ?? 'GROUP'}.latchkey`;
  if (roles.length === 0) {
    return isRequired
      ? `its certificate names no role: it needs the DNS name ${wanted}`
      : undefined;
  }
  const fits =
    group === undefined
      ? roles.some((name) => name.startsWith(`${role}.`))
      : roles.includes(wanted);
  return fits
    ? undefined
    : `its certificate is for ${roles.join(', ')}, and this needs the DNS name ${wanted}`;
}
