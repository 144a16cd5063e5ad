import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { KeysConfig } from '../../infra/config/index.ts';
import type { TransitHost } from './transit-contract.ts';

/* A Transit engine as HashiCorp Vault and OpenBao document it, with statuses and error texts of OpenBao 2.7. */

interface Key {
  derived: boolean;
  minDecryption: number;
  versions: Map<number, { key: Buffer; madeAt: number }>;
}

export interface Asked {
  method: string;
  path: string;
  body: string;
}

export interface TransitServer extends TransitHost {
  readonly asked: Asked[];
  /** If a test sets this function, it responds to every request. */
  answer: ((asked: Asked) => { status: number; body: string }) | undefined;
}

/** If `wordless` is true, responses to changes of a key have no body, as in older releases of Vault. */
interface TransitServerOptions {
  pki: string;
  dir: string;
  wordless?: boolean;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message?: string) {
    super(message);
    this.status = status;
  }
}

export async function startTransitServer({ pki, dir, wordless = false }: TransitServerOptions): Promise<TransitServer> {
  const engine = transitEngine(wordless);
  const tokenFile = join(dir, `token-${randomBytes(4).toString('hex')}`);
  const tokens = new Set<string>();
  let sealed = false;
  let frozen = false;
  const waiting: (() => void)[] = [];

  const answerTo = (asked: Asked, token: string | undefined) => {
    if (sealed) throw new Refused(503, 'Vault is sealed');
    if (token === undefined || !tokens.has(token)) throw new Refused(403, 'permission denied');
    return engine(asked);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = { method: request.method!, path: request.url!, body: await textOf(request) };
    server.asked.push(asked);
    if (frozen) await new Promise<void>((go) => waiting.push(go));
    const played = server.answer?.(asked);
    if (played) return response.writeHead(played.status).end(played.body);
    response.setHeader('content-type', 'application/json');
    try {
      const data = answerTo(asked, request.headers['x-vault-token'] as string | undefined);
      if (data === undefined) return response.writeHead(204).end();
      return response.end(JSON.stringify({ request_id: randomBytes(8).toString('hex'), data, warnings: null }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return response
        .writeHead(error.status)
        .end(JSON.stringify({ errors: error.message === '' ? [] : [error.message] }));
    }
  };

  const read = (file: string) => readFileSync(join(pki, file));
  const https = createServer({ key: read('server.key'), cert: read('server.crt') }, (request, response) => {
    void handle(request, response);
  });
  await new Promise<void>((ready) => https.listen(0, '127.0.0.1', ready));
  const { port } = https.address() as AddressInfo;
  const config: KeysConfig['transit'] = {
    url: `https://localhost:${port}`,
    mount: 'transit',
    key: 'ringfence',
    tokenFile,
    ca: join(pki, 'ca.crt'),
    timeoutMs: 60_000,
  };
  const server: TransitServer = {
    config,
    asked: [],
    answer: undefined,
    async newToken() {
      const token = `hvs.${randomBytes(18).toString('base64url')}`;
      tokens.clear();
      tokens.add(token);
      return token;
    },
    writeToken: (token) => writeFile(tokenFile, `${token}\n`, { mode: 0o600 }),
    async makeKey(name, options) {
      engine({ method: 'POST', path: `/v1/transit/keys/${name}`, body: JSON.stringify(options) });
    },
    async seal() {
      sealed = true;
    },
    async unseal() {
      sealed = false;
    },
    async freeze() {
      frozen = true;
      return () => {
        frozen = false;
        for (const go of waiting.splice(0)) go();
      };
    },
    async stop() {
      https.closeAllConnections();
      await new Promise((done) => https.close(done));
    },
  };
  await server.writeToken(await server.newToken());
  return server;
}

function transitEngine(wordless: boolean): (asked: Asked) => object | undefined {
  const keys = new Map<string, Key>();
  const named = (name: string, words: string) => {
    const key = keys.get(name);
    if (key === undefined) throw new Refused(400, words);
    return key;
  };
  const routes: Record<string, (name: string, body: Record<string, unknown>) => object | undefined> = {
    'GET keys': (name) => info(name, keys.get(name) ?? refuse(404)),
    'POST keys': (name, { derived = false }) => {
      if (!keys.has(name)) keys.set(name, newKey(derived === true));
      return wordless ? undefined : info(name, keys.get(name)!);
    },
    'POST keys rotate': (name) => {
      const key = named(name, 'key not found');
      addVersion(key);
      return wordless ? undefined : info(name, key);
    },
    'POST keys config': (name, { min_decryption_version: least }) => {
      const key = named(name, `no existing key named ${name} could be found`);
      const latest = latestOf(key);
      if (typeof least === 'number') {
        if (least > latest)
          refuse(400, `cannot set min decryption version of ${least}, latest key version is ${latest}`);
        key.minDecryption = Math.max(1, least);
      }
      return wordless ? undefined : info(name, key);
    },
    'POST encrypt': (name, { plaintext }) => {
      // Transit creates a missing key if the token allows it.
      if (!keys.has(name)) keys.set(name, newKey(false));
      return encrypted(keys.get(name)!, fromBase64(plaintext));
    },
    'POST decrypt': (name, { ciphertext }) => {
      const key = named(name, 'encryption key not found');
      return { plaintext: decrypted(key, ciphertext).toString('base64') };
    },
    'POST rewrap': (name, body) => {
      const key = named(name, 'encryption key not found');
      if (!Array.isArray(body.batch_input)) return encrypted(key, decrypted(key, body.ciphertext));
      if (body.batch_input.length === 0) refuse(400, 'missing batch input to process');
      const results = (body.batch_input as { ciphertext?: unknown }[]).map(({ ciphertext }) => {
        try {
          return { ...encrypted(key, decrypted(key, ciphertext)), reference: '' };
        } catch (error) {
          return { error: (error as Error).message, reference: '' };
        }
      });
      return { batch_results: results };
    },
  };
  return ({ method, path, body }) => {
    const [, route, name, more] = /^\/v1\/transit\/(\w+)\/([\w.-]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const handler = routes[[method, route, more].filter((word) => word !== undefined).join(' ')];
    if (handler === undefined || name === undefined)
      throw new Refused(404, `no handler for route "${path.slice('/v1/'.length)}". route entry not found.`);
    let parsed: Record<string, unknown> = {};
    try {
      if (body !== '') parsed = JSON.parse(body) as Record<string, unknown>;
    } catch {
      throw new Refused(400, 'failed to parse JSON input');
    }
    if ((body.match(/"/g)?.length ?? 0) / 2 > 1_000)
      throw new Refused(400, 'refused JSON input due to high complexity: exceeded maximum number of strings');
    return handler(name, parsed);
  };
}

function refuse(status: number, message?: string): never {
  throw new Refused(status, message);
}

function newKey(derived: boolean): Key {
  const key: Key = { derived, minDecryption: 1, versions: new Map() };
  addVersion(key);
  return key;
}

function addVersion(key: Key): void {
  key.versions.set(key.versions.size + 1, { key: randomBytes(32), madeAt: Math.floor(Date.now() / 1_000) });
}

const latestOf = ({ versions }: Key) => versions.size;

function info(name: string, key: Key): object {
  const shown = [...key.versions].filter(([version]) => version >= key.minDecryption);
  return {
    allow_plaintext_backup: false,
    deletion_allowed: false,
    derived: key.derived,
    exportable: false,
    keys: Object.fromEntries(shown.map(([version, { madeAt }]) => [version, madeAt])),
    latest_version: latestOf(key),
    min_available_version: 0,
    min_decryption_version: key.minDecryption,
    min_encryption_version: 0,
    name,
    supports_decryption: true,
    supports_derivation: true,
    supports_encryption: true,
    supports_signing: false,
    type: 'aes256-gcm96',
  };
}

function encrypted(key: Key, plaintext: Buffer): { ciphertext: string; key_version: number } {
  if (key.derived) refuse(400, 'missing "context" for key derivation; the key was created using a derived key');
  const version = latestOf(key);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.versions.get(version)!.key, nonce);
  const bytes = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { ciphertext: `vault:v${version}:${bytes.toString('base64')}`, key_version: version };
}

function decrypted(key: Key, ciphertext: unknown): Buffer {
  if (typeof ciphertext !== 'string' || ciphertext === '') refuse(400, 'missing ciphertext to decrypt');
  const [, given, encoded] = /^vault:v(\d+):(.*)$/s.exec(ciphertext) ?? [];
  if (given === undefined || encoded === undefined) refuse(400, 'invalid ciphertext: no prefix');
  const version = Number(given) === 0 ? 1 : Number(given);
  if (version > latestOf(key)) refuse(400, 'invalid ciphertext: version is too new');
  if (version < key.minDecryption) refuse(400, 'ciphertext or signature version is disallowed by policy (too old)');
  // Go's base64 decoder ignores line breaks and unused trailing bits.
  if (!/^[\w+/\r\n]*={0,2}$/.test(encoded)) refuse(400, 'invalid ciphertext: could not decode base64');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < 28) refuse(400, 'invalid ciphertext length');
  const decipher = createDecipheriv('aes-256-gcm', key.versions.get(version)!.key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  } catch {
    return refuse(400, 'cipher: message authentication failed');
  }
}

function fromBase64(text: unknown): Buffer {
  if (typeof text !== 'string' || !/^[\w+/]*={0,2}$/.test(text)) refuse(400, 'illegal base64 data at input byte 0');
  return Buffer.from(text, 'base64');
}
