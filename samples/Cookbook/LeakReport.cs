namespace Poolhouse.Samples.Cookbook;

internal sealed class LeakReport : ResourcePoolObserver
{
    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) =>
        Console.WriteLine(
            $"Item {suspected.ItemNumber} has been leased for {suspected.LeasedFor}. Rented at:\n{suspected.RentedAt}");
}
