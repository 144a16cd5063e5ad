import { createServer, type ServerOptions } from 'node:https';
import type { Signer } from '../../infra/bank/obie-4.0/message-signing.ts';
import { openAccess } from './access.ts';
import { pollEvents } from './events.ts';
import { openExchange, type BankExchange } from './exchange.ts';
import { reportFailure } from './report.ts';
import { submitVrp, answerVrp, type PaymentDesk } from './payments.ts';

export interface SandboxBank extends PaymentDesk {
  signer: Signer;
  clientId: string;
  tls: Pick<ServerOptions, 'ca' | 'cert' | 'key'>;
  closing: AbortSignal;
}

export function sandboxBankServer(bank: SandboxBank) {
  const access = openAccess(bank.clientId);
  // Requires no client certificate, because browsers may read the list of movements.
  const tls = { ...bank.tls, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
  const server = createServer(tls, (req, res) => {
    openExchange(req, res, bank)
      .then((exchange) => route(exchange))
      .catch((error: unknown) => {
        reportFailure(error);
        req.socket.destroy();
      });
  });
  server.keepAliveTimeout = 65_000;

  async function route(exchange: BankExchange): Promise<void> {
    const { method, url, answer } = exchange;
    const path = url.pathname;
    if (path === '/healthz') {
      answer(200, { status: 'ok' });
      return;
    }
    if (path === '/sandbox/movements') {
      answer(200, { items: bank.store.movements(url.searchParams.get('payment_id')) });
      return;
    }
    const paymentId = /^\/domestic-vrps\/([^/]+)$/.exec(path)?.[1];
    const allow = ['/token', '/domestic-vrps', '/events'].includes(path) ? 'POST' : paymentId ? 'GET' : null;
    if (allow === null) {
      answer(404, null);
      return;
    }
    if (method !== allow) {
      answer(405, null, { allow });
      return;
    }
    if (path === '/token') {
      access.token(exchange);
      return;
    }
    if (!access.allows(exchange)) return;
    if (paymentId) return answerVrp(bank, exchange, 200, decodeURIComponent(paymentId));
    return path === '/events' ? pollEvents(bank, exchange) : submitVrp(bank, exchange);
  }
  return server;
}
