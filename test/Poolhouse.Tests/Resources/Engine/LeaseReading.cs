using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>Leases are read while they begin and end.</summary>
public sealed class LeaseReading
{
    [Fact]
    public void A_lease_that_ends_while_it_is_read_is_left_out_although_the_item_is_leased_again()
    {
        var clock = new PoolClock(new ManualTimeProvider());
        var entry = new ResourceEntry<Part>(new Part(1), new Owner(), clock.Now, generation: 0);
        entry.BeginLease();

        Assert.Single(LeaseReader.Read([entry], 10, clock, static _ => 1));
        Assert.Empty(LeaseReader.Read([entry], 10, clock, Renew));
        Assert.Single(LeaseReader.Read([entry], 10, clock, static _ => 1));
    }

    private static long? Renew(ResourceEntry<Part> entry)
    {
        Assert.True(entry.TryEnd(entry.Version));
        entry.BeginLease();
        return 1;
    }

    private sealed class Owner : ILeaseOwner<Part>
    {
        public string Name => "parts";

        public LeaseInfo GetInfo(LeaseSlot<Part> slot) => throw new NotSupportedException();

        public void Return(LeaseSlot<Part> slot) => throw new NotSupportedException();

        public void Discard(LeaseSlot<Part> slot) => throw new NotSupportedException();

        public void Detach(LeaseSlot<Part> slot) => throw new NotSupportedException();

        public void CountDoubleReturn() => throw new NotSupportedException();
    }
}
