using Poolhouse;
using Poolhouse.Testing;

var clock = new ManualTimeProvider();
await using var pool = ResourcePool.Create(
    create: _ => ValueTask.FromResult(new object()),
    options: new ResourcePoolOptions { MaxSize = 1, TimeProvider = clock, RentTimeout = TimeSpan.FromHours(1) });
await using var lease = await pool.RentAsync();
var waiting = pool.RentAsync().AsTask();
clock.Advance(TimeSpan.FromHours(1));
try
{
    await waiting;
}
catch (PoolTimeoutException)
{
    Console.WriteLine("OK Poolhouse.Testing");
}
