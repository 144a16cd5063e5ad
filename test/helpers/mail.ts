import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { signInActivities } from '../../activities/sign-in.ts';
import type { Services } from '../../infra/services.ts';
import { PATIENCE_MS, until } from './until.ts';

/** Oldest first. */
export async function lettersTo({ config }: Pick<Services, 'config'>, address: string): Promise<Email[]> {
  const { outboxDir } = config.mail;
  const names = (await readdir(outboxDir).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const letters = await Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(outboxDir, name)))));
  return letters.filter(({ to }) => to?.some((recipient) => recipient.address === address));
}

/** @returns how many emails were sent. */
export async function sendAllMail(services: Services): Promise<number> {
  let all = 0;
  for (;;) {
    const { due, sent } = await signInActivities(services).sendDueMail();
    all += sent;
    if (due === 0) return all;
  }
}

type LinkedPage = 'reset-password' | 'verify-email' | 'link-provider';

/** Sends due emails. @returns the token of the newest link to `page` that was emailed to the address. */
export async function mailedToken(
  services: Services,
  address: string,
  page: LinkedPage = 'reset-password',
): Promise<string> {
  let link: URL | undefined;
  const isThere = async () => {
    await sendAllMail(services);
    const links = (await lettersTo(services, address)).flatMap(({ text }) => linkIn(text ?? '') ?? []);
    link = links.map((one) => new URL(one)).findLast(({ pathname }) => pathname.endsWith(`/${page}`));
    return link !== undefined;
  };
  await until(isThere, `a letter with a link to ${page}`, PATIENCE_MS, 50);
  return link!.searchParams.get('token')!;
}

export function linkIn(text: string): string | undefined {
  return text.split(/\r?\n/).find((line) => /^https:\/\/\S+\?token=\S+$/.test(line));
}
