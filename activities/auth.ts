import type { Principal } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey, type NewKey } from './auth/api-keys.ts';
import { createApplication, listApplications } from './auth/applications.ts';
import { authenticate } from './auth/authenticate.ts';
import { createClient, type NewClient } from './auth/clients.ts';
import { login, type PasswordGiven } from './auth/login.ts';
import { getProfile, logout, updateProfile } from './auth/profile.ts';
import { refreshTokens } from './auth/refresh.ts';
import { prepareRegistration, registerUser, type PreparedRegistration, type Registration } from './auth/register.ts';

export const authActivities = (services: Services) => ({
  prepareRegistration: (given: Registration) => prepareRegistration(services, given),
  registerUser: (given: Registration, prepared?: Promise<PreparedRegistration>) =>
    registerUser(services, given, prepared),
  login: (given: PasswordGiven) => login(services, given),
  refreshTokens: (given: { refresh_token: string; client_id?: string }) => refreshTokens(services, given),
  authenticate: (given: { token: string }) => authenticate(services, given),
  getProfile: (given: { principal: Principal }) => getProfile(services, given),
  updateProfile: (given: { principal: Principal; buffer_rate: string }) => updateProfile(services, given),
  logout: (given: { principal: Principal }) => logout(services, given),
  createApplication: (given: { name: string }) => createApplication(services, given),
  listApplications: () => listApplications(services),
  createClient: (given: NewClient) => createClient(services, given),
  issueApiKey: (given: NewKey) => issueApiKey(services, given),
  listApiKeys: (given: { app_id?: string }) => listApiKeys(services, given),
  rotateApiKey: (given: { key_id: string; overlap_days: number }) => rotateApiKey(services, given),
  revokeApiKey: (given: { key_id: string }) => revokeApiKey(services, given),
});
