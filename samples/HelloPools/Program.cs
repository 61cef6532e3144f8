using Poolhouse.Samples.HelloPools;

ObjectPools.Show();
Leases.Show();
ArrayPools.Show();
ExactBuffers.Show();
MemoryPools.Show();
BufferWriters.Show();
PooledStreams.Show();
await StreamContents.ShowAsync();
StreamMigration.Show();
Statistics.Show();
Metrics.Show();
ParanoidPools.Show();
await ResourcePools.ShowAsync();
await ResourceTime.ShowAsync();
OwnPool.Show();
