import { Migration } from '@mikro-orm/migrations';

/** The origins of the pages from which an OAuth client calls in a browser. */
export class Migration20261125160000_client_origins extends Migration {
  override up(): void {
    this.addSql(`alter table oauth_clients add column origins text[] not null default '{}'`);
  }
}
