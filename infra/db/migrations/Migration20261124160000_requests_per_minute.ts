import { Migration } from '@mikro-orm/migrations';

/** How many requests a minute a key may send; null where the deployment's limit holds. */
export class Migration20261124160000_requests_per_minute extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column per_minute int');
  }
}
