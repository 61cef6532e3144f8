
namespace Poolhouse.Samples.HelloPools;

// snippet: resource-observer
internal sealed class PoolLog : ResourcePoolObserver
{
    public override void OnCreateFailed(in ItemCreateFailedArgs failed) =>
        Console.WriteLine($"{failed.Pool.Name}: {failed.Failure.Message} ({failed.Failures} in a row)");

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) =>
        Console.WriteLine(
            $"{suspected.Pool.Name}: leased for {suspected.LeasedFor.TotalSeconds} s, rented here:\n{suspected.RentedAt}");
}
// end snippet
