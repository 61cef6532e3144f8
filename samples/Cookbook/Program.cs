using Poolhouse.Samples.Cookbook;

await Waiting.TimeOutAsync();
await Waiting.LimitTheQueueAsync();
await Failures.RetryAsync();
await Failures.FailFastAsync();
await Failures.TaintAsync();
await Operations.WarmUpAsync();
await Operations.ReplaceAllAsync();
await Operations.FindTheSizeAsync();
await Operations.FindTheLeakAsync();
await Operations.PerTenantAsync();
await Apps.InjectAsync();
await Apps.PerScopeAsync();
await Databases.MoveFromTheProvidersPoolAsync();
Objects.MoveFromObjectPool();
