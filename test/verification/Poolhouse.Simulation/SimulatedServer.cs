using Poolhouse.Resources.Engine;

namespace Poolhouse.Simulation;

/// <summary>The outcome of one call of a hook.</summary>
internal enum Fate
{
    SucceedAtOnce,
    Succeed,
    Fail,
    FailAtOnce,
    Refuse,
    Hang,

    /// <summary>Succeeds, but after its deadline, and ignores its cancellation.</summary>
    Late,

    /// <summary>Succeeds within a few ticks of its deadline.</summary>
    JustInTime,

    /// <summary>Runs until it is cancelled, and ends as cancelled.</summary>
    UntilCancelled,

    /// <summary>Runs until it is cancelled, and then succeeds.</summary>
    SucceedWhenCancelled,
}

/// <summary>The server: opens, checks, resets and closes connections, with or without faults.</summary>
internal sealed class SimulatedServer(Dice dice, SimulatedTime time, History history, Scenario scenario, Referee referee)
    : ResourcePolicy<SimulatedItem>
{
    private int _opened;

    /// <summary>Whether the server does not answer connects.</summary>
    public bool IsDown { get; set; }

    /// <summary>Whether no further faults occur.</summary>
    public bool IsWell { get; set; }

    public bool IsSlow { get; set; }

    public int Faults { get; private set; }

    public override ResourceHooks Hooks => scenario.Hooks;

    public override ValueTask<SimulatedItem> CreateAsync(CancellationToken cancellationToken)
    {
        var call = referee.Begin(Hook.Create, item: null);
        return Run<SimulatedItem>(call, () => Open(call), static () => null!, cancellationToken);
    }

    public override bool IsBroken(SimulatedItem item)
    {
        if (item.IsBroken && dice.Chance(0.1))
        {
            throw new SimulatedFaultException("broken");
        }

        return item.IsBroken;
    }

    public override ValueTask<bool> ValidateAsync(SimulatedItem item, LeaseInfo info, CancellationToken cancellationToken) =>
        Check(referee.Begin(Hook.Validate, item), cancellationToken);

    public override ValueTask<bool> ResetAsync(SimulatedItem item, CancellationToken cancellationToken) =>
        Check(referee.Begin(Hook.Reset, item), cancellationToken);

    public override ValueTask<bool> ProveCleanAsync(SimulatedItem item, CancellationToken cancellationToken)
    {
        referee.Require(item.IsTainted, "an item is proved clean that was not tainted");
        var call = referee.Begin(Hook.Reset, item);
        return Run(call, () => Prove(call, clean: true), () => Prove(call, clean: false), cancellationToken);
    }

    public override async ValueTask KeepAliveAsync(SimulatedItem item, CancellationToken cancellationToken)
    {
        var call = referee.Begin(Hook.KeepAlive, item);
        var well = await Run(call, () => !item.IsBroken, static () => false, cancellationToken);
        if (!well)
        {
            call.Doom("not alive");
            throw new SimulatedFaultException("not alive");
        }
    }

    public override async ValueTask DestroyAsync(SimulatedItem item, DestroyReason reason)
    {
        var call = referee.BeginDestroy(item, reason);
        _ = await Run(call, static () => true, static () => true, CancellationToken.None);
    }

    private ValueTask<bool> Check(HookCall call, CancellationToken cancellationToken) =>
        Run(call, () => !call.Item!.IsBroken || call.Doom("refused"), () => call.Doom("refused"), cancellationToken);

    private static bool Prove(HookCall call, bool clean)
    {
        call.Item!.IsTainted = !clean;
        call.Item.Proved = call;
        return clean;
    }

    private SimulatedItem Open(HookCall call)
    {
        var item = new SimulatedItem(++_opened)
        {
            OpenedAt = time.Now,
            IdleSince = time.Now,
            FreshSince = time.Now,
            DiesAt = long.MaxValue,
            Generation = call.Generation,
            IsLate = !referee.HasTimeLeft(call),
        };
        history.Add("  opened", item.Number);
        referee.Opened(item);
        return item;
    }

    private ValueTask<TResult> Run<TResult>(HookCall call, Func<TResult> succeed, Func<TResult> refuse, CancellationToken token)
    {
        var fate = Draw(call.Hook);
        history.Add(Name(call.Hook), call.Item?.Number ?? 0, (long)fate);
        switch (fate)
        {
            case Fate.SucceedAtOnce:
                referee.End(call);
                return new ValueTask<TResult>(succeed());
            case Fate.FailAtOnce:
                referee.End(call);
                call.Doom("failed");
                throw new SimulatedFaultException("failed at once");
        }

        var answer = new TaskCompletionSource<TResult>();
        void Succeed() => Answer(call, () => answer.SetResult(succeed()));
        void Fail() => Answer(call, () =>
        {
            call.Doom("failed");
            answer.SetException(new SimulatedFaultException("failed"));
        });

        var latency = dice.Time(0.01, (scenario.Latency / (double)Dice.Millisecond * (IsSlow ? 20 : 1)) + 0.02);
        var limit = Math.Min(call.Limit, TimeSpan.TicksPerMinute);
        switch (fate)
        {
            case Fate.Succeed:
                time.After(latency, Succeed);
                break;
            case Fate.Fail:
                time.After(latency, Fail);
                break;
            case Fate.Refuse:
                time.After(latency, () => Answer(call, () => answer.SetResult(refuse())));
                break;
            case Fate.Late:
                time.After(limit + dice.Time(0.5, 1_000), Succeed);
                break;
            case Fate.JustInTime:
                time.After(Math.Max(1, limit + dice.Between(-2, 2)), Succeed);
                break;
            case Fate.UntilCancelled:
                token.UnsafeRegister(_ => Fail(), null);
                break;
            case Fate.SucceedWhenCancelled:
                var afterwards = dice.Chance(0.5) ? 0 : latency;
                token.UnsafeRegister(_ => time.After(afterwards, Succeed), null);
                break;
        }

        return new ValueTask<TResult>(answer.Task);
    }

    private void Answer(HookCall call, Action answer)
    {
        if (!call.HasEnded)
        {
            history.Add("  answered", call.Item?.Number ?? 0, (long)call.Hook);
            referee.End(call);
            answer();
        }
    }

    private Fate Draw(Hook hook)
    {
        var down = IsDown && hook is not Hook.Destroy and not Hook.DestroyLate;
        var fate = IsWell ? Fate.Succeed
            : down ? dice.Chance(0.7) ? Fate.Fail : dice.Chance(0.5) ? Fate.FailAtOnce : Fate.Hang
            : dice.Chance(scenario.HangRate) ? (Fate)dice.Between((int)Fate.Hang, (int)Fate.SucceedWhenCancelled)
            : dice.Chance(scenario.FailureRate) ? (Fate)dice.Between((int)Fate.Fail, (int)Fate.Refuse)
            : Fate.Succeed;
        Faults += fate == Fate.Succeed ? 0 : 1;
        return fate == Fate.Succeed && dice.Chance(0.3) ? Fate.SucceedAtOnce : fate;
    }

    private static string Name(Hook hook) => hook switch
    {
        Hook.Create => "create",
        Hook.Validate => "validate",
        Hook.Reset => "reset",
        Hook.KeepAlive => "keep alive",
        Hook.Destroy => "destroy",
        _ => "destroy a late one",
    };
}
