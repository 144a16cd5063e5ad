import { createUploadPlaces, type Upload } from '../../api/http/request/upload-places.ts';

let nowMs = 0;
const events: string[] = [];
/** A name such as `a1` belongs to the caller `a`. */
const upload = (name: string, { bytes = 0, complete = false, share = 2 } = {}): Upload => ({
  caller: name[0]!,
  share,
  received: () => bytes,
  isComplete: () => complete,
  take: () => events.push(name),
  giveWay: () => events.push(`-${name}`),
});
const placesOf = (most: number) => createUploadPlaces(most, () => nowMs);

beforeEach(() => {
  jest.useFakeTimers();
  nowMs = 0;
  events.length = 0;
});
afterEach(() => jest.useRealTimers());
const pass = (ms: number) => {
  nowMs += ms;
  jest.advanceTimersByTime(ms);
};

describe('places for uploads', () => {
  test('each caller has at most its share, and its next upload waits for its own', () => {
    const places = placesOf(10);
    const [leave] = ['a1', 'a2', 'a3', 'b1'].map((name) => places.wait(upload(name)));
    expect(events).toEqual(['a1', 'a2', 'b1']);
    leave!();
    expect(events.at(-1)).toBe('a3');
  });

  test('whoever holds the fewest gets the next place, then whoever waited longest', () => {
    const places = placesOf(2);
    const [, leave] = ['a1', 'b1', 'a2', 'c1', 'd1'].map((name) => places.wait(upload(name)));
    leave!();
    expect(events).toEqual(['a1', 'b1', 'c1']);
  });

  test('the slowest that is older than five seconds gives way, and a phone does not while somebody is slower', () => {
    const places = placesOf(3);
    places.wait(upload('p1', { bytes: 200_000 }));
    places.wait(upload('a1', { bytes: 100_000 }));
    places.wait(upload('a2', { bytes: 150_000 }));
    pass(4_000);
    places.wait(upload('b1'));
    expect(events).toEqual(['p1', 'a1', 'a2']);
    pass(1_500);
    places.wait(upload('c1'));
    expect(events.slice(3)).toEqual(['-a1', 'b1', '-a2', 'c1']);
  });

  test('a complete upload keeps its place', () => {
    const places = placesOf(1);
    places.wait(upload('a1', { complete: true }));
    places.wait(upload('b1'));
    pass(60_000);
    expect(events).toEqual(['a1']);
  });

  test('nobody gives way to a caller who already holds as many places', () => {
    const places = placesOf(2);
    for (const name of ['a1', 'b1', 'a2', 'b2']) places.wait(upload(name));
    pass(60_000);
    expect(events).toEqual(['a1', 'b1']);
  });
});
