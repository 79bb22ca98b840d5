/**
 * Recorded conversations of the lock service: scenarios as text files, with what each member is told, says
 * and does. Read them as documentation. After a change that is meant to change them:
 *
 *     npx vitest run test/group/conversations.test.ts -u
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retold } from '../support/conversation.ts';

const FOLDER = join(import.meta.dirname, 'conversations');

test.each(readdirSync(FOLDER))('%s is as it was recorded', async (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  await expect(retold(text)).toMatchFileSnapshot(join(FOLDER, file));
});
