import { beginCredential } from '../activities/credential/generate.ts';
import { credentialActivities, LIST_TTL_S } from '../activities/credential/index.ts';
import { revokeCredential } from '../activities/credential/generate.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { VARIES } from './http/reply/picture.ts';
import { pageReply } from './pages/reply.ts';
import { verificationPage } from './pages/credential.ts';

const JSON_TYPE = 'application/json';
const HTML = 'text/html';
const SD_JWT = 'application/dc+sd-jwt';
const PDF = 'application/pdf';
const BY_FORMAT = { json: JSON_TYPE, 'sd-jwt': SD_JWT, pdf: PDF } as const;

/** Only a minute, because a new key signs credentials as soon as the key is created. */
const SHORTLY = { 'Cache-Control': 'public, max-age=60' } as const;
const FOR_A_WHILE = { 'Cache-Control': 'public, max-age=300' } as const;

export const credentialHandlers = (services: Services) => {
  const credentials = credentialActivities(services);
  return {
    async generateCredential({ begin, body, principal, newOwner, signal }) {
      const history = await credentials.prepareCredential(body);
      const request = { ...body, principal, newOwner };
      const { credential_id } = await begin((tx) => beginCredential(tx, services, request, history));
      const credential = await credentials.awaitCredential({ credential_id, signal });
      const headers = { Location: `/api/v1/credential/${credential_id}/export` };
      return { status: 201, body: credential, headers };
    },
    async verifyCredential({ params, accepts }) {
      const type = accepts([JSON_TYPE, HTML]);
      const found = await credentials.verifyCredential(params);
      if (type === HTML) {
        const subject = found.subject && (await credentials.holderOf(found.subject));
        return pageReply(200, verificationPage({ ...found, subject }, await services.clock.now(services.db)), VARIES);
      }
      return { status: 200, body: found, headers: VARIES };
    },
    verifyPresentedCredential: ({ body }) => json(200, credentials.verifyPresented(body)),
    revokeCredential: ({ once, params, principal }) =>
      once(async (tx) => {
        await revokeCredential(tx, services, { ...params, principal });
        return { status: 204 };
      }),
    async exportCredential({ params, query, accepts }) {
      const type = query.format ? BY_FORMAT[query.format] : accepts([JSON_TYPE, PDF, SD_JWT]);
      if (type === JSON_TYPE) return { status: 200, body: await credentials.exportAsJson(params), headers: VARIES };
      if (type === SD_JWT) {
        const text = await credentials.exportAsSdJwt(params);
        return file(SD_JWT, Buffer.from(text), `${params.credential_id}.sd-jwt`);
      }
      return file(PDF, await credentials.exportAsPdf(params), `${params.credential_id}.pdf`);
    },
    async readStatusList({ params }) {
      const { token, version } = await credentials.readStatusList({ list_id: Number(params.list_id) });
      const headers = { 'Cache-Control': `public, max-age=${LIST_TTL_S}`, ETag: `"${version}"` };
      return { status: 200, contentType: 'application/statuslist+jwt', raw: Buffer.from(token), headers };
    },
    readCredentialKeys: async () => ({ status: 200, body: await credentials.publishedKeys(), headers: SHORTLY }),
    readCredentialIssuer: () =>
      Promise.resolve({ status: 200, body: credentials.issuerMetadata(), headers: FOR_A_WHILE }),
    readCredentialType: () => Promise.resolve({ status: 200, body: credentials.typeMetadata(), headers: FOR_A_WHILE }),
  } satisfies Module;
};

/** Callers make `name` from a constant and an id, so `name` is safe in a header. */
function file<const Type extends string>(contentType: Type, raw: Uint8Array, name: string) {
  const headers = { ...VARIES, 'Content-Disposition': `attachment; filename="${name}"` };
  return { status: 200, contentType, raw, headers } as const;
}
