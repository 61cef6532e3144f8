using System.Runtime.CompilerServices;
using Poolhouse.Testing;

namespace Poolhouse.Tests;

/// <summary>A resource pool whose clock, random numbers, threads and policy are controlled by the test.</summary>
internal sealed class Workbench(int maxSize = 1)
{
    private readonly Lock _creating = new();
    private ResourcePool<Part>? _pool;

    public ManualTimeProvider Clock { get; } = new();

    /// <summary>The clock as the pool sees it; null for <see cref="Clock"/> itself.</summary>
    public Func<TimeProvider, TimeProvider>? Disguise { get; init; }

    public ScriptedPolicy Policy { get; } = new();

    public ManualScheduler Work { get; } = new();

    public FixedRandom Random { get; } = new();

    /// <summary>
    /// Settings for the pool; read when the pool is first used. No trimming and no jitter unless a test wants them.
    /// </summary>
    public ResourcePoolOptions Options { get; } = new()
    {
        MaxSize = maxSize,
        Name = "parts",
        IdleTimeout = Timeout.InfiniteTimeSpan,
        MaxLifetime = Timeout.InfiniteTimeSpan,
        LifetimeJitter = 0,
    };

    /// <summary>Created once, even if the first to use it are several threads.</summary>
    public ResourcePool<Part> Pool
    {
        get
        {
            lock (_creating)
            {
                return _pool ??= NewPool();
            }
        }
    }

    public ResourcePoolStatistics Now => Pool.GetStatistics();

    public static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    /// <summary>Starts a rent, and runs all work that follows from it.</summary>
    // Not inlined: it is the caller that the stacks of leases show.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Task<Lease<Part>> RequestAsync(CancellationToken cancellationToken = default)
    {
        var request = Pool.RentAsync(cancellationToken).AsTask();
        Run();
        return request;
    }

    public Task<Lease<Part>> RequestAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var request = Pool.RentAsync(timeout, cancellationToken).AsTask();
        Run();
        return request;
    }

    /// <summary>Rents an item that must be available without time passing.</summary>
    public Lease<Part> Rent()
    {
        var request = RequestAsync();
        Assert.True(request.IsCompleted, "No item was available.");
        return request.GetAwaiter().GetResult();
    }

    public List<Lease<Part>> Rent(int count) => [.. Enumerable.Range(0, count).Select(_ => Rent())];

    public void Return(params IEnumerable<Lease<Part>> leases)
    {
        foreach (var lease in leases)
        {
            lease.Dispose();
            Run();
        }
    }

    /// <summary>Creates the given number of idle items; they become idle in the order of their numbers.</summary>
    public void Fill(int count) => Return(Rent(count));

    public void Run()
    {
        _ = Pool;
        Work.Run();
    }

    /// <summary>
    /// Lets time pass in steps of at most a tenth of a second or a hundredth of the whole, with the pool's work done in between.
    /// </summary>
    public void Advance(TimeSpan time)
    {
        Run();
        var step = TimeSpan.FromTicks(Math.Max(TimeSpan.TicksPerSecond / 10, time.Ticks / 100));
        for (var left = time; left > TimeSpan.Zero; left -= step)
        {
            Clock.Advance(left < step ? left : step);
            Run();
        }
    }

    public void Advance(double seconds) => Advance(Seconds(seconds));

    /// <summary>Everything alive is counted in exactly one way, and no count is negative.</summary>
    public void AssertBalanced()
    {
        var now = Now;
        int[] parts = [now.Idle, (int)now.Leased, now.Creating, now.Validating, now.Resetting, now.Destroying];
        Assert.All(parts, part => Assert.True(part >= 0));
        Assert.Equal(now.Live, parts.Sum());
        Assert.InRange(now.PeakLive, now.Live, long.MaxValue);
        Assert.Equal(now.Created, now.Live - now.Creating - now.Destroying + now.Destroyed + now.Detached);
    }

    private ResourcePool<Part> NewPool()
    {
        Options.TimeProvider = Disguise?.Invoke(Clock) ?? Clock;
        Options.Scheduler = Work;
        Options.Random = Random;
        return new ResourcePool<Part>(Policy, Options);
    }
}
