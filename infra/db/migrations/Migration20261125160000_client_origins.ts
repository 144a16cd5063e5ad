import { Migration } from '@mikro-orm/migrations';

export class Migration20261125160000_client_origins extends Migration {
  override up(): void {
    this.addSql(`alter table oauth_clients add column origins text[] not null default '{}'`);
  }
}
