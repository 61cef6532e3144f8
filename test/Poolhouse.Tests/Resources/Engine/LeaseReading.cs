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
        var slot = new Slot();
        slot.BeginLease();

        Assert.Single(LeaseReader.Read([slot], 10, clock));
        slot.IsRenewed = true;
        Assert.Empty(LeaseReader.Read([slot], 10, clock));
        slot.IsRenewed = false;
        Assert.Single(LeaseReader.Read([slot], 10, clock));
    }

    /// <summary>A slot that may be leased again while it is read.</summary>
    private sealed class Slot() : TracedSlot<Part>(new Part(1), new Owner(), createdAt: 0)
    {
        public bool IsRenewed { get; set; }

        public override long? ItemNumber
        {
            get
            {
                if (IsRenewed)
                {
                    Assert.True(TryEnd(Version));
                    BeginLease();
                }

                return 1;
            }
        }
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
