// oidc-provider has no types of its own. These are the parts that the sandbox bank uses.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface AdapterPayload {
    grantId?: string;
    uid?: string;
    [member: string]: unknown;
  }
  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(code: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  export type AdapterFactory = (model: string) => Adapter;

  export interface Context {
    req: IncomingMessage;
    res: ServerResponse;
    type: string;
    status: number;
    body: unknown;
    response: { get(header: string): string };
    redirect(to: string): void;
    set(headers: Record<string, string>): void;
    oidc: {
      result?: { consent?: { grantId?: string } };
      grant?: Grant;
      entities: { Grant?: Grant; Account?: { accountId: string }; RotatedRefreshToken?: Token };
      provider: Provider;
    };
  }
  export interface Interaction {
    uid: string;
    params: Record<string, string | undefined>;
    persist(): Promise<string>;
  }
  export interface Token {
    jti: string;
    clientId: string;
    accountId?: string;
    grantId?: string;
    scopes: ReadonlySet<string>;
    'x5t#S256'?: string;
  }
  export interface Grant {
    readonly jti: string;
    addOIDCScope(scope: string): void;
    addOIDCClaims(claims: readonly string[]): void;
    save(): Promise<string>;
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    use(
      middleware: (
        context: Omit<Context, 'oidc'> & Partial<Pick<Context, 'oidc'>>,
        next: () => Promise<void>,
      ) => Promise<void>,
    ): void;
    readonly Grant: {
      new (of: { clientId: string; accountId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly AccessToken: { find(value: string): Promise<Token | undefined> };
    readonly ClientCredentials: { find(value: string): Promise<Token | undefined> };
    readonly Client: { Schema: { prototype: { invalidate(message: string, code?: string): void } } };
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    on(event: 'server_error', listener: (context: Context, error: unknown) => void): void;
    on(event: 'access_token.saved', listener: (token: Token) => void): void;
  }
  export const errors: { InvalidRequest: new (description: string) => Error };
}
