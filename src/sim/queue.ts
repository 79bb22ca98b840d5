import type { AnyMessage } from '../core/message.ts';
import type { TakenEvent } from './events.ts';

/**
 * The events to come, earliest first, and at equal times in the order of insertion.
 *
 * Messages that are sent later mostly arrive later, and with a constant delay always. A message that
 * arrives no earlier than all before it joins a lane, which is a ring buffer. All other messages and
 * events go through a heap. (In a lane of all events, the first site that thinks for long would block
 * the others.)
 *
 * Events are rows of typed arrays. The public fields of this object hold the event that was taken last,
 * and the time and the sender of the next message to insert. So nothing is allocated for an event, not
 * even for a number that is passed to a function.
 */
export class EventQueue {
  /** The event last taken. What `from`, `clock` and `id` mean depends on its kind. */
  time = 0;
  kind = 0;
  site = 0;
  from = 0;
  clock = 0;
  id = 0;
  message: AnyMessage | null = null;
  /** Its place in the order of insertion. */
  order = 0;

  /** When the next message that is put in arrives, its sender, and its clock. */
  arrival = 0;
  sender = 0;
  stamp = 0;

  #inserted = 0;

  // The rows, in pieces that are used together: two numbers, four integers and a message for each.
  #capacity: number;
  #numbers: Float64Array; // time, order
  #integers: Int32Array; // site and kind, from, clock, id
  readonly #messages: (AnyMessage | null)[] = [];
  /** The free rows. */
  #free: Int32Array;
  #freeCount: number;

  // Rows in order of time and insertion, from #laneHead on, around the end.
  #lane: Int32Array;
  #laneHead = 0;
  #laneLength = 0;
  #laneLast = 0;

  // A binary heap of rows; their times are kept beside them, for they are compared most.
  #heap: Int32Array;
  #heapTimes: Float64Array;
  #heapLength = 0;

  /** `capacity`, a power of two, is the number of events that fit at first. */
  constructor(capacity = 1024) {
    this.#capacity = capacity;
    this.#numbers = new Float64Array(2 * capacity);
    this.#integers = new Int32Array(4 * capacity);
    this.#lane = new Int32Array(capacity);
    this.#heap = new Int32Array(capacity);
    this.#heapTimes = new Float64Array(capacity);
    this.#free = new Int32Array(capacity);
    for (let i = 0; i < capacity; i++) this.#free[i] = capacity - 1 - i;
    this.#freeCount = capacity;
  }

  get length(): number {
    return this.#laneLength + this.#heapLength;
  }
  /** Puts in an event that is no message. */
  push(time: number, kind: number, site: number, from: number, clock: number): void {
    if (this.#freeCount === 0) this.#grow();
    const row = this.#free[--this.#freeCount]!;
    this.#write(row, time, this.#inserted++, kind, site, from, clock, 0);
    this.#messages[row] = null;
    this.#toHeap(row);
  }

  /** Puts in a message from `sender` that reaches `site` at `arrival`. */
  pushMessage(kind: number, site: number, message: AnyMessage, id: number): void {
    if (this.#freeCount === 0) this.#grow();
    const row = this.#free[--this.#freeCount]!;
    const numbers = this.#numbers;
    const integers = this.#integers;
    numbers[2 * row] = this.arrival;
    numbers[2 * row + 1] = this.#inserted++;
    integers[4 * row] = (site << 3) | kind;
    integers[4 * row + 1] = this.sender;
    integers[4 * row + 2] = this.stamp;
    integers[4 * row + 3] = id;
    this.#messages[row] = message;
    if (this.#laneLength === 0 || this.arrival >= this.#laneLast) {
      this.#lane[(this.#laneHead + this.#laneLength++) & (this.#capacity - 1)] = row;
      this.#laneLast = this.arrival;
    } else {
      this.#toHeap(row);
    }
  }

  /** Puts back an event that was taken, in its earlier place among the events of the same time. */
  pushBack(time: number, event: TakenEvent): void {
    if (this.#freeCount === 0) this.#grow();
    const row = this.#free[--this.#freeCount]!;
    const { order, kind, site, from, clock, id } = event;
    this.#write(row, time, order, kind, site, from, clock, id);
    this.#messages[row] = event.message;
    this.#toHeap(row);
  }

  /** The event last taken, to be put back later. */
  get taken(): TakenEvent {
    const { time, kind, site, from, clock, id, message, order } = this;
    return { time, kind, site, from, clock, id, message, order };
  }

  /** Takes the first event into the public fields; false when there is none. */
  pop(): boolean {
    let row: number;
    if (this.#laneLength > 0 && this.#laneIsFirst()) {
      row = this.#lane[this.#laneHead]!;
      this.#laneHead = (this.#laneHead + 1) & (this.#capacity - 1);
      this.#laneLength--;
    } else {
      if (this.#heapLength === 0) return false;
      row = this.#fromHeap();
    }
    this.time = this.#numbers[2 * row]!;
    this.order = this.#numbers[2 * row + 1]!;
    const integers = this.#integers;
    const siteAndKind = integers[4 * row]!;
    this.site = siteAndKind >> 3;
    this.kind = siteAndKind & 7;
    this.from = integers[4 * row + 1]!;
    this.clock = integers[4 * row + 2]!;
    this.id = integers[4 * row + 3]!;
    this.message = this.#messages[row]!;
    this.#free[this.#freeCount++] = row;
    return true;
  }

  /** Makes this the event that was taken last, for an event that was not in the queue. */
  present(kind: number, site: number, from: number, clock: number): void {
    this.kind = kind;
    this.site = site;
    this.from = from;
    this.clock = clock;
    this.id = 0;
    this.message = null;
  }

  /** The messages to come, in no particular order. It looks at all events, which takes long. */
  underWay(): TakenEvent[] {
    return this.#rows().map((row) => this.#event(row));
  }

  /** Takes out the message of that number to that site, before its time; undefined if there is none. */
  take(id: number, site: number): TakenEvent | undefined {
    const row = this.#rows().find(
      (row) => this.#integers[4 * row]! >> 3 === site && this.#integers[4 * row + 3] === id,
    );
    if (row === undefined) return undefined;
    const event = this.#event(row);
    // The row keeps its place among the others, as a message without a receiver.
    this.#messages[row] = null;
    return event;
  }

  /** Whether a message to or from that site is under way. It looks at all events, which takes long. */
  hasMessageOf(site: number): boolean {
    const integers = this.#integers;
    return this.#rows().some((r) => integers[4 * r]! >> 3 === site || integers[4 * r + 1] === site);
  }

  /** The rows of messages. */
  #rows(): number[] {
    const rows = [...this.#heap.subarray(0, this.#heapLength)];
    for (let i = 0; i < this.#laneLength; i++) {
      rows.push(this.#lane[(this.#laneHead + i) & (this.#capacity - 1)]!);
    }
    return rows.filter((row) => this.#messages[row] !== null);
  }

  #event(row: number): TakenEvent {
    const [siteAndKind, from, clock, id] = this.#integers.subarray(4 * row, 4 * row + 4);
    const [time, order] = this.#numbers.subarray(2 * row, 2 * row + 2);
    const [site, kind] = [siteAndKind! >> 3, siteAndKind! & 7];
    const message = this.#messages[row]!;
    return { time: time!, order: order!, site, kind, from: from!, clock: clock!, id: id!, message };
  }

  #write(
    row: number,
    time: number,
    order: number,
    kind: number,
    site: number,
    from: number,
    clock: number,
    id: number,
  ): void {
    this.#numbers[2 * row] = time;
    this.#numbers[2 * row + 1] = order;
    const integers = this.#integers;
    integers[4 * row] = (site << 3) | kind;
    integers[4 * row + 1] = from;
    integers[4 * row + 2] = clock;
    integers[4 * row + 3] = id;
  }

  #laneIsFirst(): boolean {
    if (this.#heapLength === 0) return true;
    const row = this.#lane[this.#laneHead]!;
    const time = this.#numbers[2 * row]!;
    const heapTime = this.#heapTimes[0]!;
    return time < heapTime || (time === heapTime && this.#isOlder(row, this.#heap[0]!));
  }

  #isOlder(row: number, other: number): boolean {
    return this.#numbers[2 * row + 1]! < this.#numbers[2 * other + 1]!;
  }

  #toHeap(row: number): void {
    const heap = this.#heap;
    const times = this.#heapTimes;
    const time = this.#numbers[2 * row]!;
    let i = this.#heapLength++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const parentTime = times[parent]!;
      if (time > parentTime || (time === parentTime && this.#isOlder(heap[parent]!, row))) break;
      times[i] = parentTime;
      heap[i] = heap[parent]!;
      i = parent;
    }
    times[i] = time;
    heap[i] = row;
  }

  #fromHeap(): number {
    const heap = this.#heap;
    const times = this.#heapTimes;
    const first = heap[0]!;
    const length = --this.#heapLength;
    const row = heap[length]!;
    const time = times[length]!;
    let i = 0;
    for (let child = 1; child < length; child = 2 * i + 1) {
      let childTime = times[child]!;
      const right = child + 1;
      if (right < length) {
        const rightTime = times[right]!;
        const tie = rightTime === childTime;
        if (rightTime < childTime || (tie && this.#isOlder(heap[right]!, heap[child]!))) {
          child = right;
          childTime = rightTime;
        }
      }
      if (time < childTime || (time === childTime && this.#isOlder(row, heap[child]!))) break;
      times[i] = childTime;
      heap[i] = heap[child]!;
      i = child;
    }
    times[i] = time;
    heap[i] = row;
    return first;
  }

  #grow(): void {
    const before = this.#capacity;
    const capacity = 2 * before;
    // The lane goes round the end: straighten it while it moves.
    const lane = new Int32Array(capacity);
    for (let i = 0; i < this.#laneLength; i++) {
      lane[i] = this.#lane[(this.#laneHead + i) & (before - 1)]!;
    }
    this.#lane = lane;
    this.#laneHead = 0;
    this.#numbers = longer(this.#numbers, new Float64Array(2 * capacity));
    this.#integers = longer(this.#integers, new Int32Array(4 * capacity));
    this.#heapTimes = longer(this.#heapTimes, new Float64Array(capacity));
    this.#heap = longer(this.#heap, new Int32Array(capacity));
    this.#free = new Int32Array(capacity);
    for (let i = 0; i < before; i++) this.#free[i] = capacity - 1 - i;
    this.#freeCount = before;
    this.#capacity = capacity;
  }
}

function longer<A extends Float64Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
