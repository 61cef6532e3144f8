using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>A thread whose wait for a call ends early or cannot begin does not lose what the call returns.</summary>
public sealed class InterruptedCalls : IDisposable
{
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(10);

    private readonly LdapThreads _threads = new(new LdapPoolOptions { Servers = ["ldap.example.org"] }.Freeze());
    private readonly ManualResetEventSlim _answered = new();

    [Fact]
    public async Task The_result_of_a_call_whose_caller_was_interrupted_is_handed_to_its_destruction()
    {
        using var begun = new ManualResetEventSlim();
        var (result, late, failure) = (new object(), (object?)null, (Exception?)null);
        var caller = Start(() => failure = Record.Exception(() => _threads.Run(
            signal => new LdapCall<object>(
                () =>
                {
                    begun.Set();
                    _answered.Wait(Patience.Limit);
                    return result;
                },
                unwanted => Volatile.Write(ref late, unwanted))
            {
                Signal = signal,
            },
            _long,
            "open",
            CancellationToken.None)));
        Assert.True(begun.Wait(Patience.Limit, TestContext.Current.CancellationToken));

        caller.Interrupt();
        Assert.True(caller.Join(Patience.Limit));
        Assert.IsType<ThreadInterruptedException>(failure);
        _answered.Set();

        await Patience.UntilAsync(() => Volatile.Read(ref late) == result, "the late result is destroyed");
    }

    [Fact]
    public void A_call_that_has_ended_by_then_returns_its_result_and_leaves_the_interrupt_pending()
    {
        using var set = new ManualResetEvent(initialState: true);
        var (result, failure, wasPending) = ((object?)null, (Exception?)null, false);
        var caller = Start(() =>
        {
            failure = Record.Exception(() => result = _threads.Run(
                static signal =>
                {
                    // It has ended, and its signal is still to come.
                    var call = new LdapCall<object>(static () => "done", onLate: null) { Signal = signal };
                    call.Run();
                    signal.Reset();
                    Thread.CurrentThread.Interrupt();
                    return call;
                },
                _long,
                "open",
                CancellationToken.None));
            wasPending = Record.Exception(() => set.WaitOne(0)) is ThreadInterruptedException;
        });
        Assert.True(caller.Join(Patience.Limit));

        Assert.Equal((null, "done", true), (failure, result, wasPending));
    }

    /// <summary>An event can be waited for 24 days at most.</summary>
    [Theory]
    [InlineData(30)]
    [InlineData(49)]
    [InlineData(null)]
    public async Task A_call_may_have_a_timeout_of_many_days(int? days)
    {
        var timeout = days is { } limit ? TimeSpan.FromDays(limit) : Timeout.InfiniteTimeSpan;

        var result = await Patience.WithinAsync(DirectoryRequests.OnThreadAsync(() => _threads.Run(
            static signal => new LdapCall<string>(static () => "done", onLate: null) { Signal = signal },
            timeout,
            "open",
            CancellationToken.None)));

        Assert.Equal("done", result);
    }

    public void Dispose()
    {
        _answered.Set();
        _threads.Dispose();
        _answered.Dispose();
    }

    private static Thread Start(Action body)
    {
        var thread = new Thread(() => body()) { IsBackground = true };
        thread.Start();
        return thread;
    }
}
