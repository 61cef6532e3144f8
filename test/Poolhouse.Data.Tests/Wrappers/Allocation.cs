using Poolhouse.Data.Tests.Fakes;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests.Wrappers;

public sealed class Allocation
{
    [Fact]
    public void Opening_and_disposing_allocates_only_the_wrapper()
    {
        using var source = CreateSource();
        var bytes = Measure(() => source.OpenConnection().Dispose());
        Assert.InRange(bytes, 1, 112);
    }

    [Fact]
    public async Task Opening_and_disposing_asynchronously_allocates_only_the_wrapper()
    {
        await using var source = CreateSource();
        var bytes = Measure(() =>
        {
#pragma warning disable xUnit1031, CA2012 // An idle connection is given at once; an await here would measure this test.
            var connection = source.OpenConnectionAsync().GetAwaiter().GetResult();
            connection.DisposeAsync().GetAwaiter().GetResult();
#pragma warning restore xUnit1031, CA2012
        });
        Assert.InRange(bytes, 1, 112);
    }

    // Without the tracking of leases, which the check of the whole run turns on, and which allocates.
    private static PooledDataSource CreateSource()
    {
        var options = FakeDb.OneConnection();
        options.Pool.TrackLeases = false;
        return PooledDataSource.Create(new FakeDb(), options);
    }

    private static long Measure(Action action)
    {
        const int Count = 1_000;
        return Allocated.By(action, Count) / Count;
    }
}
