import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Present } from '../../../infra/bank/interface.ts';

/** Enough for every browser. A longer header would travel on to the bank. */
const MAX_HEADER = 256;

/** What a bank is told about the person who is there. Null if the address is unknown, because a bank asks for it. */
export function presentOf({ address, headers }: { address: string; headers: IncomingHttpHeaders }): Present | null {
  if (!ipaddr.isValid(address)) return null;
  const { 'user-agent': userAgent, 'accept-language': language } = headers;
  return { ip: ipaddr.process(address).toString(), userAgent: within(userAgent), language: within(language) };
}

function within(header: string | undefined): string | undefined {
  return header !== undefined && header.length <= MAX_HEADER ? header : undefined;
}
