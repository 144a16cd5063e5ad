import { Migration } from '@mikro-orm/migrations';

export class Migration20261125170100_removed_clients extends Migration {
  override up(): void {
    this.addSql('alter table oauth_clients add column removed_at timestamptz(3)');
  }
}
