using Poolhouse.Explorer.Scheduling;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Nested;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Children on one parent: their core, their leases, and the parent as a shared item.</summary>
// Returns and deactivations take the steps of ResourcePool.Owner, NestedChildPolicy and SharedItemSet, without those that do not
// matter here.
internal sealed class NestedBench
    : IEngineHost<NestedChild<Part, Part>>, ILeaseOwner<NestedChild<Part, Part>>, ILeaseOwner<Part>
{
    private const long Now = 1;

    private readonly ScenarioRun _run;
    private readonly CoreBench _parents;
    private readonly Lease<Part> _parentLease;
    private readonly SharedItem<Part> _parent;
    private readonly NestedChildOwner<Part, Part> _owner;
    private readonly bool _isSettingUp = true;
    private int _created;
    private int _destroyed;

    public NestedBench(ScenarioRun run, int children, int primed)
    {
        _run = run;
        _parents = new CoreBench(run, maxSize: 1, primed: 1);
        _parentLease = _parents.Rent()!.Value;
        _parents.Release(_parentLease);
        _parent = new SharedItem<Part>(_parentLease, now: 0);
        _owner = new NestedChildOwner<Part, Part>(Name, () => Core!.Operators.DestroyBrokenByParent(Now));
        var options = new ResourcePoolOptions
        {
            MaxSize = children,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,

            // A schedule replays only if the pause after a failed creation is always the same, and never zero.
            Random = new Random(1),
        };
        var clock = new PoolClock(new ExplorerClock());
        var settings = new ResourceSettings(options, clock, ResourceHooks.IsBroken | InternalHooks.IsBrokenByParent);
        Core = new ResourceCore<NestedChild<Part, Part>>(this, settings, delays: null, cells: 1);
        Core.Operators.SetWarmTarget(primed, Now);
        Core.Operators.SetWarmTarget(0, Now);
        _isSettingUp = false;
        run.AtEnd(CheckEnd);
    }

    public ResourceCore<NestedChild<Part, Part>> Core { get; }

    public string Name => "bench";

    public Lease<Part> Rent()
    {
        var entry = Core.TryTakeIdle()!;
        entry.BeginUse(Now);
        var engineLease = entry.BeginLease();
        var lease = engineLease.Value.Begin(engineLease);
        lease.Value.Hold();
        return lease;
    }

    public static void Return(Lease<Part> lease)
    {
        lease.Value.Release();
        lease.Dispose();
    }

    /// <summary>Detaches the child, which counts as gone afterwards.</summary>
    public void Detach(Lease<Part> lease)
    {
        lease.Detach().Release();
        _destroyed++;
    }

    public void DeactivateParent()
    {
        if (_parent.Deactivate(DestroyReason.Broken))
        {
            Core.Operators.DestroyBrokenByParent(Now);
        }
    }

    public void BeginCreate(bool synchronously)
    {
        // Until the run begins no actor can deactivate the parent; later it may be deactivated before the creation begins.
        if (_isSettingUp)
        {
            Create();
        }
        else
        {
            _run.Actor("creator", Create);
        }
    }

    public void BeginCheck(ResourceEntry<NestedChild<Part, Part>> entry, bool keepAlive) => throw new NotSupportedException();

    public void BeginDestroy(ResourceEntry<NestedChild<Part, Part>> entry, DestroyReason reason) => _run.Actor("destroyer", () =>
    {
        var child = entry.Item;
        child.Item.Destroy();
        _destroyed++;
        child.EndUse(suspect: false);
        child.Forget();
        Core.Destroyed(entry, Now);
    });

    public bool IsBrokenByParent(ResourceEntry<NestedChild<Part, Part>> entry) => entry.Item.Parent!.IsInactive;

    public void ScheduleAt(long time)
    {
    }

    public void Closing()
    {
    }

    LeaseInfo ILeaseOwner<Part>.GetInfo(LeaseSlot<Part> slot) => default;

    // A use of the parent has ended.
    void ILeaseOwner<Part>.Return(LeaseSlot<Part> slot) => ((SharedUse<Part>)slot).End(Now).Item.Leave(Now);

    void ILeaseOwner<Part>.Discard(LeaseSlot<Part> slot) => throw new NotSupportedException();

    void ILeaseOwner<Part>.Detach(LeaseSlot<Part> slot) => throw new NotSupportedException();

    LeaseInfo ILeaseOwner<NestedChild<Part, Part>>.GetInfo(LeaseSlot<NestedChild<Part, Part>> slot) => default;

    // A lease of a child has ended.
    void ILeaseOwner<NestedChild<Part, Part>>.Return(LeaseSlot<NestedChild<Part, Part>> slot)
    {
        var entry = (ResourceEntry<NestedChild<Part, Part>>)slot;
        entry.EndUse(Now);
        if (IsBrokenByParent(entry))
        {
            Core.Destroy(entry, DestroyReason.ParentInactive, Now);
        }
        else if (!Core.TryPutHot(entry, Now) && !Core.TryServeHead(entry, Now))
        {
            Core.Offer(entry, Now);
        }
    }

    void ILeaseOwner<NestedChild<Part, Part>>.Discard(LeaseSlot<NestedChild<Part, Part>> slot) =>
        throw new NotSupportedException();

    void ILeaseOwner<NestedChild<Part, Part>>.Detach(LeaseSlot<NestedChild<Part, Part>> slot)
    {
        var entry = (ResourceEntry<NestedChild<Part, Part>>)slot;
        entry.EndUse(Now);
        Core.Detach(entry, Now);
    }

    public void CountDoubleReturn() => throw new InvalidOperationException("A use was ended twice.");

    private void Create()
    {
        if (!_parent.TryEnter(maxUses: 8))
        {
            Core.CreateFailed(
                new CreationFailure(new InvalidOperationException("The parent is inactive.")), synchronously: false, Now, Now);
            return;
        }

        var child = new NestedChild<Part, Part>(_owner);
        child.BeginUse(new SharedUse<Part>(this, Now).Begin(_parent, trace: null, Now));
        if (!_isSettingUp)
        {
            Actor.Step("create", "child");
        }

        child.Fill(new Part());
        _created++;
        var entry = new ResourceEntry<NestedChild<Part, Part>>(child, this, Now, Core.Generation);
        Core.Created(entry, synchronously: false, jitter: 0, ticks: 0, Now);
    }

    /// <summary>
    /// Every scenario deactivates the parent: then neither it nor a child is left, and none was destroyed twice.
    /// </summary>
    private void CheckEnd()
    {
        Part.Require(
            _destroyed == _created,
            $"{_created} children were created, {_destroyed} destroyed: one is left on an inactive parent.");
        Part.Require(_parent.Uses == 0, $"{_parent.Uses} uses of the parent are left.");
        Part.Require(!_parentLease.IsActive, "The parent was not released after its last child.");
    }
}
