/** `latchkey`: locks across processes. `join` makes this process a member, `connect` locks through a daemon. */

export { type Client, type ConnectSettings, connect } from './client/connect.ts';
export { AccessError, DaemonLostError, NoDaemonError } from './client/errors.ts';
export { UsageError } from './core/errors.ts';
export { fixed } from './engines/fixed.ts';
export type { SurveyEntry } from './group/backend.ts';
export type { Cycle, CycleStep } from './group/cycles.ts';
export type { Engine, EngineEnvironment, EngineStatus, SuspectedMember } from './group/engine.ts';
export type { Rule } from './group/lock-algorithm.ts';
export type { Member, View } from './group/view.ts';
export * from './locks/index.ts';
export { type Group, join } from './member/join.ts';
export type { JoinLog, JoinSettings } from './member/join-settings.ts';
export type { GroupStatus, MemberStatus, PeerStatus } from './member/status.ts';
export type { MemberTls } from './member/transport.ts';
export { ListenError } from './net/transport.ts';
