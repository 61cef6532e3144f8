using System.Globalization;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Simulation;

/// <summary>The theme of a run.</summary>
public enum Theme
{
    /// <summary>A mix of everything.</summary>
    Everyday,

    /// <summary>Hooks hang, fail, throw, and complete after they were abandoned.</summary>
    UnreliableServer,

    /// <summary>The server is down for a while, and every connection is lost.</summary>
    Outages,

    /// <summary>Operators resize, reconfigure, clear, trim, suspend and warm up continuously.</summary>
    RestlessOperators,

    /// <summary>Few callers and short lives: idle limits, keep-alive, minimum, leases that are forgotten.</summary>
    LongLives,

    /// <summary>The pool is drained or disposed while it is in full use.</summary>
    SuddenEnd,

    /// <summary>The pool shares its capacity with a neighbour, which takes and releases it at random.</summary>
    SharedCapacity,
}

/// <summary>The settings of a run, drawn from its seed.</summary>
internal sealed class Scenario
{
    private readonly bool _finiteLives;

    public Scenario(Theme theme, Dice dice)
    {
        Theme = theme;
        var troubled = theme is Theme.UnreliableServer or Theme.SuddenEnd && dice.Chance(0.5);
        _finiteLives = theme == Theme.LongLives || dice.Chance(0.5);
        Clients = dice.Between(1, theme == Theme.LongLives ? 4 : 12);
        Chaos = theme == Theme.LongLives ? dice.Time(20_000, 120_000) : dice.Time(500, 6_000);
        Think = theme == Theme.LongLives ? dice.Time(500, 8_000) : dice.Time(1, 300);
        Use = theme == Theme.LongLives ? dice.Time(10, 5_000) : dice.Time(0.5, 80);
        Latency = dice.Time(0.1, 40);
        FailureRate = troubled ? dice.Fraction(0.3) : dice.Chance(0.5) ? dice.Fraction(0.05) : 0;
        HangRate = troubled ? dice.Fraction(0.2) : dice.Chance(0.3) ? dice.Fraction(0.03) : 0;
        OperatorPause = theme == Theme.RestlessOperators ? dice.Time(10, 200) : dice.Time(300, 5_000);
        OutagePause = theme == Theme.Outages ? dice.Time(100, 1_000) : dice.Time(3_000, 30_000);
        SlowestThread = dice.Chance(0.25) ? dice.Time(0.1, 10) : 0;
        ResourceHooks hooks = ResourceHooks.None;
        foreach (var hook in new[]
        {
            ResourceHooks.IsBroken,
            ResourceHooks.Validate,
            ResourceHooks.Reset,
            ResourceHooks.ProveClean,
            ResourceHooks.KeepAlive,
        })
        {
            hooks |= dice.Chance(0.6) ? hook : ResourceHooks.None;
        }

        Hooks = hooks;
        RefusalRate = dice.Chance(0.2) ? dice.Fraction(0.1) : 0;
        JumpRate = dice.Chance(0.2) ? dice.Fraction(0.02) : 0;
        ReadingJumpRate = dice.Chance(0.15) ? dice.Fraction(0.01) : 0;
    }

    public Theme Theme { get; }

    public ResourceHooks Hooks { get; }

    public int Clients { get; }

    public long Chaos { get; }

    public long Think { get; }

    public long Use { get; }

    public long Latency { get; }

    public double FailureRate { get; }

    public double HangRate { get; }

    public long OperatorPause { get; }

    public long OutagePause { get; }

    public long SlowestThread { get; }

    /// <summary>The share of the pool's work that cannot be queued for lack of memory.</summary>
    public double RefusalRate { get; }

    /// <summary>The share of the events before which the clock jumps.</summary>
    public double JumpRate { get; }

    /// <summary>The share of the pool's readings before which the clock jumps, forwards or backwards.</summary>
    public double ReadingJumpRate { get; }

    /// <summary>Draws options; again and again for a pool that is reconfigured.</summary>
    public ResourcePoolOptions DrawOptions(Dice dice)
    {
        var size = dice.Chance(0.3) ? 1 : dice.Between(1, 8);
        var retry = dice.Span(1, 50);
        return new ResourcePoolOptions
        {
            Name = "simulated",
            MaxSize = size,
            MinIdle = dice.Chance(Theme == Theme.LongLives ? 0.7 : 0.4) ? dice.Between(0, size) : 0,
            MaxWaiters = dice.Chance(0.2) ? dice.Between(0, 6) : int.MaxValue,
            RentTimeout = dice.SpanOrNever(0.05, 10, 3_000),
            CreateTimeout = dice.Span(20, 1_000),
            ValidateTimeout = dice.Span(5, 300),
            ResetTimeout = dice.Span(5, 300),
            DestroyTimeout = dice.Span(5, 300),
            MaxConcurrentCreates = dice.Between(1, 5),
            OutageTimeout = dice.Chance(0.25) ? TimeSpan.Zero : dice.SpanOrNever(0.4, 5, 500),
            RetryDelay = retry,
            MaxRetryDelay = retry * dice.Between(1, 30),
            ValidateAfterIdle = dice.Chance(0.1) ? TimeSpan.Zero : dice.SpanOrNever(0.2, 1, 1_000),
            IdleTimeout = _finiteLives ? dice.Span(1_000, 5_000) : Timeout.InfiniteTimeSpan,
            MaxLifetime = _finiteLives ? dice.Span(1_000, 10_000) : Timeout.InfiniteTimeSpan,
            LifetimeJitter = dice.Chance(0.2) ? 0 : dice.Fraction(1),
            KeepAliveInterval = dice.SpanOrNever(0.5, 1_000, 2_000),
            LeakThreshold = dice.SpanOrNever(0.7, 1, 500),
            AwaitReset = dice.Chance(0.3),
            TrackLeases = dice.Chance(0.01),
            Overload = dice.Chance(0.1) ? new OverloadOptions { Target = dice.Span(1, 20), Interval = dice.Span(20, 300) } : null,
        };
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Theme}: {Clients} clients, hooks {Hooks}, chaos {Ms(Chaos)} ms, think {Ms(Think)} ms, use {Ms(Use)} ms, latency " +
        $"{Ms(Latency)} ms, failures {FailureRate:0.00}, hangs {HangRate:0.00}, slowest thread {Ms(SlowestThread)} ms, without " +
        $"memory {RefusalRate:0.00}, jumps {JumpRate:0.000}, at readings {ReadingJumpRate:0.0000}");

    public static string Show(ResourcePoolOptions options) => string.Create(
        CultureInfo.InvariantCulture,
        $"MaxSize {options.MaxSize}, MinIdle {options.MinIdle}, MaxWaiters {options.MaxWaiters}, {options.IdleOrder}, " +
        $"RentTimeout {options.RentTimeout}, CreateTimeout {options.CreateTimeout}, ") + string.Create(
        CultureInfo.InvariantCulture,
        $"ValidateTimeout {options.ValidateTimeout}, ResetTimeout {options.ResetTimeout}, DestroyTimeout " +
        $"{options.DestroyTimeout}, MaxConcurrentCreates {options.MaxConcurrentCreates}, " +
        $"OutageTimeout {options.OutageTimeout}, ") +
        string.Create(
        CultureInfo.InvariantCulture,
        $"RetryDelay {options.RetryDelay}, MaxRetryDelay {options.MaxRetryDelay}, ValidateAfterIdle " +
        $"{options.ValidateAfterIdle}, IdleTimeout {options.IdleTimeout}, MaxLifetime {options.MaxLifetime}, ") + string.Create(
        CultureInfo.InvariantCulture,
        $"LifetimeJitter {options.LifetimeJitter:0.00}, KeepAliveInterval {options.KeepAliveInterval}, AwaitReset " +
        $"{options.AwaitReset}, Overload {(options.Overload is { } o ? $"{o.Target}/{o.Interval}" : "off")}");

    private static double Ms(long ticks) => Math.Round(ticks / (double)Dice.Millisecond, 3);
}
