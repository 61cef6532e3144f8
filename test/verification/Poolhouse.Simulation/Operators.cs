using Poolhouse.Kernel;

namespace Poolhouse.Simulation;

/// <summary>The operators of the pool and its server, and the causes of outages.</summary>
internal sealed class Operators(World world)
{
    private readonly Dice _dice = world.Dice;
    private readonly Referee _referee = world.Referee;
    private readonly SimulatedTime _time = world.Time;

    /// <summary>Performs random operations on the pool.</summary>
    public async Task ManageAsync()
    {
        while (world.IsChaos)
        {
            await _time.DelayAsync(_dice.Time(0.1, (world.Scenario.OperatorPause / (double)Dice.Millisecond) + 0.2));
            if (!world.IsChaos)
            {
                return;
            }

            try
            {
                Manage();
            }
            catch (ObjectDisposedException)
            {
                _referee.Require(_referee.IsClosed, "an operator gets ObjectDisposedException from an open pool");
            }
        }
    }

    /// <summary>Stops the server now and then, which closes some or all connections.</summary>
    public async Task SabotageAsync()
    {
        while (world.IsChaos)
        {
            await _time.DelayAsync(_dice.Time(1, (world.Scenario.OutagePause / (double)Dice.Millisecond) + 2));
            if (!world.IsChaos)
            {
                return;
            }

            world.History.Add("server trouble");
            _referee.BreakSome(_dice, _dice.Chance(0.5) ? 1 : 0.4);
            world.Server.IsDown = _dice.Chance(0.6);
            world.Server.IsSlow = _dice.Chance(0.3);
            await _time.DelayAsync(_dice.Time(1, 2_000));
            world.History.Add("server back");
            world.Server.IsDown = false;
            world.Server.IsSlow = false;
        }
    }

    /// <summary>Closes the pool in a random way.</summary>
    public async Task EndAsync()
    {
        if (_dice.Chance(0.5))
        {
            world.History.Add("drain");
            using var impatience = _dice.Chance(0.5) ? new CancellationTokenSource() : null;
            _referee.IsDraining = true;
            var drained = world.Pool.DrainAsync(impatience?.Token ?? CancellationToken.None);
            if (impatience is null)
            {
                await drained;
                _referee.Require(world.Pool.GetStatistics().Live == 0, "a drained pool is not empty");
                return;
            }

            await _time.DelayAsync(_dice.Time(0.1, 100));
            impatience.Cancel();
            try
            {
                await drained;
            }
            catch (OperationCanceledException)
            {
                world.History.Add("the wait for the drain is abandoned");
            }

            if (_dice.Chance(0.5))
            {
                return;
            }

            await _time.DelayAsync(_dice.Time(0.1, 500));
        }

        world.History.Add("dispose");
        _referee.IsDisposed = true;
        if (_dice.Chance(0.5))
        {
            world.Pool.Dispose();
        }

        await world.Pool.DisposeAsync();
        var now = world.Pool.GetStatistics();
        _referee.Require(now.Live == now.Leased, $"something is under way in a disposed pool: {Referee.Show(now)}");
    }

    private void Manage()
    {
        switch (_dice.Below(_referee.IsClosed ? 6 : 12))
        {
            case 0:
                Clear(spread: 0);
                break;
            case 1:
                Clear(_dice.Time(1, 2_000));
                break;
            case 2:
            case 3:
                Trim();
                break;
            case 4:
            case 5:
                Suspend();
                break;
            case 6:
            case 7:
                Resize();
                break;
            case 8:
            case 9:
                Reconfigure();
                break;
            default:
                world.Start(WarmUpAsync(_dice.Between(0, _referee.Options.MaxSize)));
                break;
        }
    }

    private void Clear(long spread)
    {
        world.History.Add("clear", 0, spread);
        _referee.Cleared(spread);
        world.Pool.Clear(TimeSpan.FromTicks(spread));
    }

    private void Trim()
    {
        world.History.Add("trim");
        var idle = world.Pool.GetStatistics().Idle;
        var trimmed = world.Pool.Trim();
        _referee.Require(trimmed == idle, $"Trim destroyed {trimmed} of {idle}");
    }

    private void Suspend()
    {
        world.History.Add("suspend");
        _referee.IsSuspended = true;
        world.Pool.Suspend();
        _time.After(_dice.Time(1, 500), Resume);
    }

    private void Resume()
    {
        world.History.Add("resume");
        _referee.IsSuspended = false;
        world.Pool.Resume();
    }

    private void Resize()
    {
        var size = _dice.Between(Math.Max(1, _referee.Options.MinIdle), 10);
        world.History.Add("resize", 0, size);
        var options = _referee.Options.Freeze();
        options.MaxSize = size;
        _referee.Options = options;
        world.Pool.Resize(size);
    }

    private void Reconfigure()
    {
        world.History.Add("reconfigure");
        var options = world.DrawOptions();
        _referee.Options = options;
        world.Pool.Reconfigure(options);
    }

    private async Task WarmUpAsync(int count)
    {
        world.History.Add("warm up", 0, count);
        _referee.WarmUps++;

        // A warm-up takes only free capacity; the neighbour may hold too much for it.
        using var cancellation = world.Neighbour is not null || _dice.Chance(0.2) ? new CancellationTokenSource() : null;
        var over = false;
        try
        {
            var warm = world.Pool.WarmUpAsync(count, cancellation?.Token ?? CancellationToken.None);
            if (cancellation is not null)
            {
                _time.After(_dice.Time(0.1, 200), () =>
                {
                    if (!over)
                    {
                        cancellation.Cancel();
                    }
                });
            }

            await warm;
            var now = world.Pool.GetStatistics();
            var ready = now.Live - now.Creating - now.Destroying;
            var most = Math.Min(now.MaxSize, world.Neighbour?.Total ?? int.MaxValue);
            _referee.Require(ready >= Math.Min(count, most), $"a warm-up to {count} is done: {Referee.Show(now)}");
        }
        catch (Exception failure) when (failure is SimulatedFaultException or TimeoutException or InvalidOperationException
            or OperationCanceledException)
        {
            // The policy's own failures and the disposal of the pool reach the caller of the warm-up.
            _referee.Require(
                failure is not ObjectDisposedException || _referee.IsClosed,
                "a warm-up gets ObjectDisposedException from an open pool");
        }

        over = true;
        _referee.WarmUps--;
        world.History.Add("  warm");
    }
}
