/** The steps that another member's page tells, forwarded: a browser then needs one connection, to one member. */
import { get } from 'node:http';

/** A page that does not answer is asked again after so long. */
const RETRY_MS = 1_000;
/** An event is far smaller; what is larger is no event of ours. */
const MAX_EVENT = 4_194_304;

/** Forwards events, each as the text that it came as, until the returned function is called. */
export function relay(page: URL, forward: (event: string) => void): () => void {
  let isOver = false;
  let request: ReturnType<typeof get> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const retry = () => {
    if (!isOver) timer = setTimeout(open, RETRY_MS);
  };
  const open = () => {
    request = get(page, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const events = (text + chunk).split('\n\n');
        text = events.pop()!;
        if (text.length > MAX_EVENT) request?.destroy();
        for (const event of events) if (isSteps(event)) forward(`${event}\n\n`);
      });
      response.on('close', retry);
      response.on('error', () => {}); // `close` follows
    });
    request.on('error', retry);
  };
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    request?.destroy();
  };
}

const isSteps = (event: string): boolean =>
  event.startsWith('event: steps\n') || event.startsWith('event: frame\n');
