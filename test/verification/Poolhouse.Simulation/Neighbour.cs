using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Simulation;

/// <summary>
/// A second pool that shares the capacity of the pool under test, with callers that arrive, wait, give up and leak; and the
/// operator of that capacity, who changes its size.
/// </summary>
internal sealed class Neighbour
{
    private readonly World _world;
    private readonly Dice _dice;
    private readonly int _clients;
    private readonly ResourcePool<SimulatedItem> _pool;
    private readonly SharedCapacity<SimulatedItem> _capacity;
    private int _bound;
    private bool _isSuspended;

    public Neighbour(World world, SharedCapacity<SimulatedItem> capacity)
    {
        _world = world;
        _dice = world.Dice;
        _clients = _dice.Between(1, 6);
        _capacity = capacity;
        _bound = capacity.Total;
        var maxSize = _dice.Between(1, 6);
        var options = new ResourcePoolOptions
        {
            Name = "neighbour",
            MaxSize = maxSize,
            MinIdle = _dice.Chance(0.3) ? _dice.Between(0, maxSize) : 0,
            RetryDelay = _dice.Span(1, 50),
            OutageTimeout = _dice.Chance(0.25) ? TimeSpan.Zero : _dice.SpanOrNever(0.4, 5, 500),
            IdleTimeout = _dice.Chance(0.5) ? _dice.Span(1_000, 5_000) : Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            TimeProvider = world.Time,
            Scheduler = new Threads(world.Threads),
            Random = new Random(_dice.Next()),
        };
        _pool = new ResourcePool<SimulatedItem>(new Policy(world), options, capacity.Join(), reportedAs: null);
    }

    /// <summary>How many items may be alive in both pools together.</summary>
    public int Total => _capacity.Total;

    public Task LiveAsync() =>
        Task.WhenAll([.. Enumerable.Range(0, _clients).Select(_ => ComeAndGoAsync()), ManageAsync(), ResizeAsync()]);

    public Task EndAsync() => _pool.DrainAsync();

    /// <summary>Checks what must hold for both pools together.</summary>
    public void Audit(ResourcePoolStatistics other, bool isAtRest)
    {
        var own = _pool.GetStatistics();
        var referee = _world.Referee;
        var live = own.Live + other.Live;

        // A reduced capacity is enforced only as existing items leave; the number must not grow meanwhile.
        _bound = Math.Max(Total, Math.Min(_bound, live));
        referee.Require(live <= _bound, $"{own.Live} and {other.Live} items are alive; the bound is {_bound} (I2)");
        if (isAtRest && !referee.IsClosed)
        {
            referee.Require(
                live - own.Destroying - other.Destroying <= Total || own.Idle + other.Idle == 0,
                $"items are idle beyond a shared capacity of {Total}: {Referee.Show(own)}; the other pool: " +
                $"{Referee.Show(other)} (I2)");
            AuditWaits(own, _isSuspended, other);
            AuditWaits(other, referee.IsSuspended, own);
        }
    }

    private void AuditWaits(ResourcePoolStatistics waiting, bool isSuspended, ResourcePoolStatistics other)
    {
        var wants = !isSuspended && !waiting.InOutage && waiting.Live < waiting.MaxSize
            && waiting.Waiting > waiting.Creating + waiting.Validating + waiting.Resetting;
        var comes = waiting.Creating > 0 || waiting.Destroying + other.Destroying > 0;
        _world.Referee.Require(
            !wants || comes || waiting.Live + other.Live >= Total,
            $"a caller waits although shared capacity is free: {Referee.Show(waiting)}; the other pool: " +
            $"{Referee.Show(other)} (I5)");
        _world.Referee.Require(
            !wants || comes || other.Idle == 0,
            $"a caller waits although an item of the other pool is idle: {Referee.Show(waiting)}; the other pool: " +
            $"{Referee.Show(other)} (I5)");
    }

    private async Task ComeAndGoAsync()
    {
        while (_world.IsChaos)
        {
            await _world.Time.DelayAsync(_dice.Time(0.01, 300));
            try
            {
                using var impatience = _dice.Chance(0.3) ? new CancellationTokenSource() : null;
                var answer = _pool.RentAsync(_dice.Span(0.5, 1_000), impatience?.Token ?? CancellationToken.None);
                if (impatience is not null && !answer.IsCompleted)
                {
                    await _world.Time.DelayAsync(_dice.Time(0.01, 200));
                    impatience.Cancel();
                }

                var lease = await answer;
                await _world.Time.DelayAsync(_dice.Time(0.01, 200));
                if (_dice.Chance(0.1))
                {
                    lease.Discard();
                }
                else
                {
                    lease.Dispose();
                }
            }
            catch (Exception failure) when (failure is TimeoutException or OperationCanceledException or InvalidOperationException
                or SimulatedFaultException)
            {
                _world.History.Add("neighbour gets " + failure.GetType().Name);
            }
        }
    }

    private async Task ManageAsync()
    {
        while (_world.IsChaos)
        {
            await _world.Time.DelayAsync(_dice.Time(10, 2_000));
            _isSuspended = true;
            _pool.Suspend();
            await _world.Time.DelayAsync(_dice.Time(1, 300));
            _isSuspended = false;
            _pool.Resume();
        }
    }

    private async Task ResizeAsync()
    {
        while (_world.IsChaos)
        {
            await _world.Time.DelayAsync(_dice.Time(10, 2_000));
            var total = _dice.Between(1, 8);
            _world.History.Add("resize shared capacity", 0, total);
            _capacity.Resize(total);
        }
    }

    private sealed class Threads(SimulatedThreads threads) : WorkScheduler
    {
        public override TaskCreationOptions Completion => TaskCreationOptions.None;

        public override void Post(IThreadPoolWorkItem work) => threads.PostForNeighbour(work);

        public override void PostToOwnThread(IThreadPoolWorkItem work) => threads.PostForNeighbour(work);
    }

    private sealed class Policy(World world) : ResourcePolicy<SimulatedItem>
    {
        private int _made;

        public override ResourceHooks Hooks => ResourceHooks.None;

        public override async ValueTask<SimulatedItem> CreateAsync(CancellationToken cancellationToken)
        {
            await world.Time.DelayAsync(world.Dice.Time(0.1, 100));
            return world.IsChaos && world.Dice.Chance(0.1)
                ? throw new SimulatedFaultException("neighbour")
                : new SimulatedItem(--_made);
        }

        public override async ValueTask DestroyAsync(SimulatedItem item, DestroyReason reason) =>
            await world.Time.DelayAsync(world.Dice.Time(0.1, 50));
    }
}
