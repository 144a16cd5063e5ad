import { Migration } from '@mikro-orm/migrations';

/** A key's own limit of requests per minute. Null means the limit of the deployment. */
export class Migration20261124160000_requests_per_minute extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column per_minute int');
  }
}
