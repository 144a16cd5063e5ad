import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { createExchanges } from '../../api/http/server/exchanges.ts';
import { startServer } from '../../api/http/server/server.ts';
import { createMetrics } from '../../infra/telemetry/metrics.ts';
import { startApi } from '../helpers/api.ts';
import { valueOf } from '../helpers/metrics.ts';

const api = startApi();
const portOf = () => Number(new URL(api.url).port);
const refusals = async () =>
  valueOf(await api.services.metrics.registry.metrics(), 'ringfence_http_requests_total', {
    operation: 'none',
    status: '400',
  });

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(port = portOf(), host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host, port });
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  // A `close` event follows a reset.
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('end', done).once('close', done));
  return text;
}

async function overTls(options: ConnectionOptions = {}): Promise<{ text: string; socket: TLSSocket }> {
  const ca = readFileSync(api.services.config.api.tls.ca);
  const socket = connectTls({ host: 'localhost', port: portOf(), ca, ...options });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return { text: await received(socket), socket };
}

function anotherServer(publicUrl?: string) {
  const { tls, vaultClientCa } = api.services.config.api;
  return startServer(
    { host: '127.0.0.1', port: 0, tls: { ...tls, ca: vaultClientCa }, ...(publicUrl !== undefined && { publicUrl }) },
    {
      listener: () => undefined,
      watch: { refused: () => undefined, unread: () => undefined },
      exchanges: createExchanges(api.services.config.api.memory, createMetrics('another')),
      trustsProxy: () => false,
    },
  );
}

/** Forwards the first bytes late and one by one. */
async function forwardSlowly(near: Socket): Promise<void> {
  const far = connect({ host: '127.0.0.1', port: portOf(), noDelay: true });
  for (const socket of [near, far]) socket.on('error', () => undefined);
  far.pipe(near);
  const [hello] = (await once(near, 'data')) as [Buffer];
  near.pause();
  await sleep(1_000);
  for (const byte of hello.subarray(0, 40)) {
    far.write(Buffer.of(byte));
    await sleep(5);
  }
  far.write(hello.subarray(40));
  near.pipe(far);
}

const GET = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
const POST = `POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`;

describe('plain HTTP on the HTTPS port', () => {
  test.each([
    ['GET', GET],
    ['DELETE', 'DELETE /x HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a large POST', POST],
    ['a method in small letters', 'get / HTTP/1.1\r\n\r\n'],
    ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('gets a sentence with the right address: %s', async (_, bytes) => {
    const before = await refusals();
    const socket = await open();
    socket.write(bytes);
    const [head = '', body = ''] = (await received(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/^content-type: application\/problem\+json\r?$/im);
    expect(head).toMatch(/^connection: close\r?$/im);
    expect(JSON.parse(body)).toMatchObject({
      status: 400,
      code: 'invalid-request',
      detail: `This port accepts only HTTPS. Use https://localhost:${portOf()}.`,
    });
    expect(await refusals()).toBe(before + 1);
  });

  test('gets the sentence also on localhost’s other address, and if sent byte by byte', async () => {
    const socket = await open(portOf(), '::1').catch(() => open());
    const answer = received(socket);
    for (const byte of GET) {
      socket.write(byte);
      await sleep(2);
    }
    expect(await answer).toMatch(/This port accepts only HTTPS/);
  });

  test('gets the public address, if that is different', async () => {
    const server = await anotherServer('https://ringfence.example');
    const socket = await open(server.port);
    socket.write(GET);
    expect(await received(socket)).toContain('Use https://ringfence.example."');
    await server.stop(1_000);
  });
});

describe('data that is neither HTTP nor TLS', () => {
  test.each([
    ['bytes without a meaning', Buffer.from([0, 1, 2, 3, 4, 5, 6, 7])],
    ['a record of TLS that holds nonsense', Buffer.from([22, 3, 1, 0, 5, 9, 9, 9, 9, 9])],
    ['high bytes', Buffer.alloc(600, 0xff)],
  ])('is refused by TLS, without a response in HTTP: %s', async (_, bytes) => {
    const socket = await open();
    socket.write(bytes);
    expect(await received(socket)).not.toMatch(/HTTP|speaks/);
  });

  test('a connection that closes or resets before its first byte has no effect', async () => {
    for (let round = 0; round < 20; round += 1) {
      const socket = await open();
      if (round % 2 === 0) socket.end();
      else socket.resetAndDestroy();
    }
    expect((await overTls()).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a silent connection does not delay a shutdown', async () => {
    const server = await anotherServer();
    await open(server.port);
    const answered = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
    sockets.push(answered);
    answered.on('error', () => undefined).write(GET);
    await once(answered, 'data');
    const stopping = performance.now();
    await server.stop(60_000);
    expect(performance.now() - stopping).toBeLessThan(30_000);
  });
});

describe('TLS on that port', () => {
  test('is version 1.3 or later', async () => {
    const { text, socket } = await overTls();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(socket.getProtocol()).toBe('TLSv1.3');
    await expect(overTls({ maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol|alert/i);
  });

  test('accepts a late first byte, and a ClientHello byte by byte', async () => {
    const slow = createServer((near) => void forwardSlowly(near)).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { text } = await overTls({ port: (slow.address() as AddressInfo).port });
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    slow.close();
  });

  test('accepts many connections at once', async () => {
    const texts = await Promise.all(Array.from({ length: 60 }, async () => (await overTls()).text));
    expect(texts.every((text) => text.startsWith('HTTP/1.1 200 '))).toBe(true);
  });
});
