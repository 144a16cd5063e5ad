import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';

const DAY_MS = 86_400_000;
const CLOCK = '/api/v1/sandbox/clock';
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];

describe('in a sandbox', () => {
  const api = startApi();
  let key = '';
  beforeAll(async () => {
    key = await api.apiKey(SCOPES);
  });
  const move = (body: unknown, headers: Record<string, string> = {}) => api.post(CLOCK, { token: key, body, headers });
  const read = async () => Date.parse((await api.get(CLOCK, { token: key })).body.now as string);

  describe('moveClock', () => {
    test('200: the next request of any kind uses the new time', async () => {
      const before = await read();
      const { status, body } = await move({ advance: 'P31D' });
      expect(status).toBe(200);
      expect(body.now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(body.now)).toBeGreaterThanOrEqual(before + 30.9 * DAY_MS);
      const wage = { employee_id: 'emp-1', gross_pay: 300_000, obligations: [] };
      const paid = await api.post('/api/v1/engine/paycheck/calculate', { token: key, body: wage });
      expect(Date.parse(paid.body.calculated_at)).toBeGreaterThanOrEqual(Date.parse(body.now));
      expect(await read()).toBeGreaterThanOrEqual(Date.parse(body.now));
    });

    test('200: to an instant in any time zone', async () => {
      const to = new Date(Math.ceil((await read()) / DAY_MS + 2) * DAY_MS);
      const written = `${new Date(to.getTime() + 3_600_000).toISOString().slice(0, 19)}+01:00`;
      expect(await move({ now: written })).toMatchObject({ status: 200, body: { now: to.toISOString() } });
    });

    test('200: the same Idempotency-Key moves it once, and every process sees the move before the response', async () => {
      const before = await read();
      const headers = { 'idempotency-key': 'a-day' };
      const [first, second] = [await move({ advance: 'P1D' }, headers), await move({ advance: 'P1D' }, headers)];
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(second.body).toEqual(first.body);
      const after = await read();
      expect(after).toBeGreaterThanOrEqual(Date.parse(first.body.now));
      expect(after).toBeLessThan(before + 1.5 * DAY_MS);
    });

    test('security uses real time: tokens and keys stay valid', async () => {
      const { token, userId } = await api.registerUser();
      await move({ advance: 'P1Y' });
      expect(await api.get('/api/v1/auth/me', { token })).toMatchObject({ status: 200, body: { user_id: userId } });
      expect((await api.get(CLOCK, { token: key })).status).toBe(200);
      expect((await api.registerUser()).token).not.toBe('');
    });

    async function isRefused(body: unknown, pointers: readonly string[]) {
      const before = await read();
      const answer = await move(JSON.stringify(body));
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
      expect(pointersOf(answer)).toEqual(pointers);
      expect(await read()).toBeLessThan(before + DAY_MS);
    }
    test.each<[body: unknown, pointers: readonly string[]]>([
      [{}, ['/advance']],
      [{ advance: 'P1D', now: '2030-01-01T00:00:00Z' }, ['/now']],
      [{ by: 'me' }, ['/by', '/advance']],
      [{ advance: 'P1D', now: 'tomorrow' }, ['/now']],
    ])('400: %j', isRefused);

    test('422 is stored for its Idempotency-Key, and the clock can be moved afterwards', async () => {
      const headers = { 'idempotency-key': 'nowhere' };
      expect(await move({ advance: 'PT0S' }, headers)).toMatchObject(problem(422, 'clock-not-forward'));
      const again = await move({ advance: 'PT0S' }, headers);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(await move({ advance: 'PT1S' })).toMatchObject({ status: 200 });
    });
  });
});

describe('in production', () => {
  const api = startApi({ env: { RINGFENCE_ENV: 'production' } });

  test('404 for every caller, and the contract does not have the operation', async () => {
    const key = await api.apiKey(['admin:audit', 'admin:owners']);
    for (const asked of [{ token: key }, {}]) {
      expect(await api.get(CLOCK, asked)).toMatchObject(problem(404, 'not-found'));
      expect(await api.post(CLOCK, { ...asked, body: { advance: 'P1D' } })).toMatchObject(problem(404, 'not-found'));
    }
    const { body } = await api.get('/openapi.json');
    expect(Object.keys(body.paths as object)).toContain('/api/v1/payments');
    expect(Object.keys(body.paths as object).filter((path) => path.includes('sandbox'))).toEqual([]);
  });
});
