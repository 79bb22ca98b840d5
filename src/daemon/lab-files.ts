/** The files of the lab, which the build has put beside the program. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeMarkup } from '../core/markup.ts';

const FOLDER = fileURLToPath(new URL('../lab', import.meta.url));

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Its own scripts, workers and styles, charts as images, and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The worker that runs what a reader wrote: that code, and no network. */
const OWN_CODE = "default-src 'none'; script-src 'self' blob:";

export interface LabFile {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Buffer;
}

export const isLabBuilt = (): boolean => existsSync(join(FOLDER, 'index.html'));

/**
 * The file at that path of the lab, `/` being its page. The query says whether a worker runs a reader's code. If a
 * member serves the lab, `dashboard` is the address of its dashboard, to which the lab then links.
 */
export async function labFile(path: string, query: string, dashboard?: string): Promise<LabFile> {
  const file = normalize(join(FOLDER, path === '/' ? 'index.html' : path));
  const type = TYPES[extname(file)];
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': query === '?own' ? OWN_CODE : POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  const missing = {
    status: 404,
    headers: { ...headers, 'Content-Type': 'text/plain' },
    body: 'no such file\n',
  };
  // Nothing outside the folder, and nothing that a build does not make.
  if (!file.startsWith(FOLDER + sep) || type === undefined) return missing;
  try {
    const body = await readFile(file);
    return {
      status: 200,
      headers: { ...headers, 'Content-Type': type },
      body: path === '/' && dashboard !== undefined ? withDashboard(body, dashboard) : body,
    };
  } catch {
    return missing;
  }
}

/** The page with an element in its head that `lab/model/dashboard.ts` reads: a page of a static host has none. */
const withDashboard = (html: Buffer, address: string): string =>
  String(html).replace(
    '</head>',
    () => `<meta name="latchkey-dashboard" content="${escapeMarkup(address)}" /></head>`,
  );
