using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>Who waits, in which order, for how long, and who is refused.</summary>
public sealed class Queueing
{
    [Fact]
    public async Task Requests_are_admitted_in_the_order_of_arrival()
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = static _ => new HttpResponseMessage { Content = new StringContent("hello") };
        var first = await bench.SendAsync();
        var waiting =
            Enumerable.Range(1, 5).Select(number => bench.Client.GetStringAsync(new Uri($"http://server/{number}"))).ToList();
        Assert.Equal(5, bench.Now.Waiting);

        first.Dispose();
        await Patience.WithinAsync(Task.WhenAll(waiting));
        Assert.Equal(["/", "/1", "/2", "/3", "/4", "/5"], bench.Inner.Paths);
    }

    [Fact]
    public async Task Blocking_and_awaiting_requests_wait_in_one_queue()
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = static _ => new HttpResponseMessage { Content = new StringContent("hello") };
        var first = await bench.SendAsync();
        var one = bench.Client.GetStringAsync(new Uri("http://server/1"));
        var two = Task.Run(() => Send(bench, "http://server/2"));
        await Patience.UntilAsync(() => bench.Now.Waiting == 2, "the blocking request to wait");
        var three = bench.Client.GetStringAsync(new Uri("http://server/3"));

        first.Dispose();
        await Patience.WithinAsync(Task.WhenAll(one, two, three));
        Assert.Equal(["/", "/1", "/2", "/3"], bench.Inner.Paths);
    }

    [Fact]
    public async Task A_cancelled_request_leaves_the_queue_at_once_and_holds_no_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        using var first = await bench.OccupyAsync();
        using var patience = new CancellationTokenSource();
        var leaving = bench.SendAsync("http://server/leaving", patience.Token);
        var staying = bench.SendAsync("http://server/staying");
        await patience.CancelAsync();

        Assert.Equal(1, bench.Now.Waiting);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(leaving));
        first.Dispose();
        (await bench.Inner.ComesAsync(1)).Respond();
        using var response = await Patience.WithinAsync(staying);
        Assert.Equal(["/", "/staying"], bench.Inner.Paths);
    }

    [Fact]
    public async Task Disposing_the_client_ends_the_waits_of_its_requests()
    {
        var bench = new Harness(endpointLimit: 1);
        using var first = await bench.OccupyAsync();
        var waiting = bench.SendAsync();
        bench.Dispose();

        var failure = await Record.ExceptionAsync(() => Patience.WithinAsync(waiting));
        Assert.True(failure is OperationCanceledException or ObjectDisposedException, failure?.ToString());
    }

    [Fact]
    public async Task Disposing_a_bulkhead_ends_the_waits_in_its_name_and_lets_responses_complete()
    {
        using var bench = new Harness(endpointLimit: 1);
        var first = await bench.OccupyAsync();
        var waiting = bench.SendAsync();
        bench.Bulkhead.Dispose();

        var end = await Assert.ThrowsAsync<ObjectDisposedException>(() => Patience.WithinAsync(waiting));
        Assert.StartsWith("Pool 'outgoing' was disposed", end.Message, StringComparison.Ordinal);
        Assert.Equal(1, bench.Now.Leased);
        first.Dispose();
        Assert.Equal(0, bench.Now.Leased);
    }

    [Fact]
    public async Task A_timeout_for_the_endpoint_limit_names_that_limit()
    {
        using var bench = new Harness(endpointLimit: 1, options => options.RentTimeout = TimeSpan.FromSeconds(3));
        using var first = await bench.OccupyAsync("http://user:secret@server/path?key=secret");
        bench.Clock.Advance(TimeSpan.FromSeconds(2));
        var waiting = bench.SendAsync("http://user:secret@server/path?key=secret");
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(waiting));
        Assert.Equal(
            (BulkheadRejection.RentTimeout, TimeSpan.FromSeconds(3), "outgoing"),
            (rejected.Reason, rejected.Elapsed, rejected.PoolName));
        Assert.IsType<PoolTimeoutException>(rejected.InnerException);
        Assert.Equal(
            "Bulkhead 'outgoing': no capacity for a request to http://server:80 within 3 s (MaxPerEndpoint 1: 1 in progress; 0 " +
            "waiting; the oldest for 5 s). Requests are sent faster than responses end: read or dispose responses sooner, " +
            "raise MaxPerEndpoint, or set MaxWaiters to fail sooner.",
            rejected.Message);
        Assert.DoesNotContain("secret", rejected.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_timeout_for_the_total_limit_names_that_limit()
    {
        using var bench =
            new Harness(endpointLimit: 2, options => (options.MaxTotal, options.RentTimeout) = (1, TimeSpan.FromSeconds(3)));
        using var first = await bench.OccupyAsync("http://one/");
        var waiting = bench.SendAsync("http://two/");
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(waiting));
        Assert.Equal(BulkheadRejection.RentTimeout, rejected.Reason);
        Assert.EndsWith(
            "Other endpoints hold the rest of the 1 permits (MaxTotal): raise it, or set MaxWaiters to fail sooner.",
            rejected.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_timeout_during_a_suspension_names_the_suspension()
    {
        using var bench = new Harness(endpointLimit: 2, options => options.RentTimeout = TimeSpan.FromSeconds(3));
        bench.Bulkhead.Suspend();
        var waiting = bench.SendAsync("http://one/");
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(waiting));
        Assert.Equal(
            "Bulkhead 'outgoing': no capacity for a request to http://one:80 within 3 s (MaxPerEndpoint 2: 0 in progress; 0 " +
            "waiting). The bulkhead is suspended: no request is sent until Resume is called.",
            rejected.Message);
    }

    [Fact]
    public async Task A_request_to_a_full_queue_is_rejected_at_once_with_RetryAfter()
    {
        using var bench = new Harness(endpointLimit: 2, options => options.MaxWaiters = 2);
        (await OccupyForAsync(bench, TimeSpan.FromSeconds(4))).Dispose();
        using var first = await bench.OccupyAsync();
        using var second = await bench.OccupyAsync();
        var waiting = Task.WhenAll(bench.SendAsync(), bench.SendAsync());

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(bench.SendAsync()));
        Assert.Equal(
            (BulkheadRejection.QueueFull, TimeSpan.Zero, 2), (rejected.Reason, rejected.Elapsed, rejected.Statistics.Waiting));
        Assert.IsType<PoolOverloadedException>(rejected.InnerException);

        // Three requests of four seconds each, over two permits.
        Assert.Equal(TimeSpan.FromSeconds(6), rejected.RetryAfter);
        Assert.Equal(
            "Bulkhead 'outgoing': a request to http://server:80 was rejected at once, because MaxWaiters (2) is reached " +
            "(MaxPerEndpoint 2: 2 in progress; 2 waiting; the oldest for 0 s). " +
            "Send fewer requests at once, read or dispose responses sooner, or raise MaxPerEndpoint or MaxWaiters.",
            rejected.Message);
        bench.Bulkhead.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Patience.WithinAsync(waiting));
    }

    [Fact]
    public async Task A_full_queue_for_the_total_limit_names_that_limit()
    {
        using var bench = new Harness(endpointLimit: 2, options => (options.MaxTotal, options.MaxWaiters) = (1, 0));
        using var first = await bench.OccupyAsync("http://one/");

        // Queued, because the endpoint has free permits; that others hold the total is known from then on.
        var waiting = bench.SendAsync("http://two/");

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(
            () => Patience.WithinAsync(bench.SendAsync("http://two/")));
        Assert.Equal(BulkheadRejection.QueueFull, rejected.Reason);
        Assert.Equal(
            "Bulkhead 'outgoing': a request to http://two:80 was rejected at once, because MaxWaiters (0) is reached " +
            "(MaxPerEndpoint 2: 0 in progress; 1 waiting). " +
            "Other endpoints hold the rest of the 1 permits (MaxTotal): raise it, or raise MaxWaiters.",
            rejected.Message);
        bench.Bulkhead.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Patience.WithinAsync(waiting));
    }

    [Fact]
    public async Task A_full_queue_during_a_suspension_names_the_suspension()
    {
        using var bench = new Harness(endpointLimit: 1, options => options.MaxWaiters = 0);

        // Leaves an idle permit: without it, the next request would be queued.
        (await bench.OccupyAsync()).Dispose();
        bench.Bulkhead.Suspend();

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(bench.SendAsync()));
        Assert.Equal(
            "Bulkhead 'outgoing': a request to http://server:80 was rejected at once, because MaxWaiters (0) is reached " +
            "(MaxPerEndpoint 1: 0 in progress; 0 waiting). " +
            "The bulkhead is suspended: no request is sent until Resume is called.",
            rejected.Message);
    }

    [Fact]
    public async Task A_timeout_after_which_a_response_ends_does_not_name_the_total_limit()
    {
        var observer = new WaitEnd();
        using var bench = new Harness(
            endpointLimit: 1,
            options => (options.MaxTotal, options.RentTimeout, options.Observer) = (2, TimeSpan.FromSeconds(3), observer));
        using var other = await bench.OccupyAsync("http://other/");
        var first = await bench.OccupyAsync();

        // The waits end together; the exceptions are created one after another, most of them after the response has ended.
        observer.Ended = first.Dispose;
        var waiting = Enumerable.Range(0, 50).Select(_ => bench.SendAsync()).ToList();
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        foreach (var each in waiting)
        {
            var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => Patience.WithinAsync(each));
            Assert.EndsWith(
                "Requests are sent faster than responses end: read or dispose responses sooner, raise MaxPerEndpoint, " +
                "or set MaxWaiters to fail sooner.",
                rejected.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Without_waiters_a_request_gets_a_permit_or_is_rejected()
    {
        using var bench = new Harness(endpointLimit: 2, options => options.MaxWaiters = 0);
        using var first = await bench.OccupyAsync();
        using var second = await bench.OccupyAsync();

        var rejected = await Assert.ThrowsAsync<BulkheadRejectedException>(() => bench.SendAsync());
        Assert.Equal((BulkheadRejection.QueueFull, null), (rejected.Reason, rejected.RetryAfter));
        Assert.Throws<BulkheadRejectedException>(() => Send(bench, "http://server/"));
        first.Dispose();
        (await bench.OccupyAsync()).Dispose();
    }

    [Fact]
    public async Task Callers_of_HttpClient_catch_a_rejection_as_they_catch_every_failure()
    {
        using var bench = new Harness(endpointLimit: 1, options => options.MaxWaiters = 0);
        using var first = await bench.OccupyAsync();

        var failure = await Record.ExceptionAsync(() => bench.Client.GetStringAsync(new Uri("http://server/")));
        Assert.IsType<HttpRequestException>(failure, exactMatch: false);
    }

    [Fact]
    public async Task While_the_endpoint_is_overloaded_requests_that_waited_too_long_are_shed()
    {
        using var bench = new Harness(
            endpointLimit: 1,
            options => options.Overload =
                new OverloadOptions { Target = TimeSpan.FromMilliseconds(100), Interval = TimeSpan.FromSeconds(1) });
        bench.Inner.Answer = static _ => ScriptedBody.Respond(out var _);
        var current = await bench.SendAsync();
        var waiting = Enumerable.Range(0, 20).Select(_ => bench.SendAsync()).ToList();
        while (waiting.Count > 0)
        {
            bench.Clock.Advance(TimeSpan.FromMilliseconds(500));
            current.Dispose();
            await Patience.UntilAsync(
                () => bench.Now.Leased == 1 || bench.Now.Waiting == 0, "the next to be let through or shed");
            var done = await Patience.WithinAsync(Task.WhenAny(waiting));
            waiting.Remove(done);
            if (await Record.ExceptionAsync(() => done) is { } failure)
            {
                var rejected = Assert.IsType<BulkheadRejectedException>(failure);
                Assert.Equal(BulkheadRejection.Overload, rejected.Reason);
                Assert.Matches(
                    @"^Bulkhead 'outgoing': a request to http://server:80 was shed after [\d.]+ s, because every request of the last 1 s \(Overload.Interval\) " +
                    @"waited longer than 0.1 s \(Overload.Target\) \(MaxPerEndpoint 1: .*\). The endpoint is overloaded: reduce the load, raise MaxPerEndpoint if the endpoint can handle more, " +
                    @"or raise Overload.Target if such waits are acceptable.$",
                    rejected.Message);
                return;
            }

            current = await done;
        }

        Assert.Fail("Nobody was shed.");
    }

    [Fact]
    public async Task A_request_that_is_shed_while_Overload_is_turned_off_is_rejected_like_the_others()
    {
        var observer = new OverloadOffSwitch();
        using var bench = new Harness(endpointLimit: 1, options =>
        {
            options.Overload = new OverloadOptions
            {
                Target = TimeSpan.FromMilliseconds(100),
                Interval = TimeSpan.FromSeconds(1),
            };
            options.Observer = observer;
        });
        observer.Watch(bench);
        bench.Inner.Answer = static _ => ScriptedBody.Respond(out var _);
        var current = await bench.SendAsync();
        var waiting = Enumerable.Range(0, 20).Select(_ => bench.SendAsync()).ToList();
        while (waiting.Count > 0)
        {
            bench.Clock.Advance(TimeSpan.FromMilliseconds(500));
            current.Dispose();
            var done = await Patience.WithinAsync(Task.WhenAny(waiting));
            waiting.Remove(done);
            if (await Record.ExceptionAsync(() => done) is { } failure)
            {
                Assert.Equal(BulkheadRejection.Overload, Assert.IsType<BulkheadRejectedException>(failure).Reason);
                return;
            }

            current = await done;
        }

        Assert.Fail("Nobody was shed.");
    }

    private static string Send(Harness bench, string address)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(address));
        using var response = bench.Client.Send(request);
        using var reader = new StreamReader(response.Content.ReadAsStream());
        return reader.ReadToEnd();
    }

    private static async Task<HttpResponseMessage> OccupyForAsync(Harness bench, TimeSpan time)
    {
        var response = await bench.OccupyAsync();
        bench.Clock.Advance(time);
        return response;
    }

    /// <summary>Ends a response when a wait has ended, before the exception is created.</summary>
    private sealed class WaitEnd : BulkheadObserver
    {
        public Action? Ended { get; set; }

        public override void OnWaitEnded(in WaitEndedArgs ended) => Ended?.Invoke();
    }

    /// <summary>Turns Overload off at the first request that was shed, before its exception is created.</summary>
    private sealed class OverloadOffSwitch : BulkheadObserver
    {
        private Harness? _bench;

        public void Watch(Harness bench) => _bench = bench;

        public override void OnWaitEnded(in WaitEndedArgs ended)
        {
            if (ended.Outcome == WaitOutcome.Shed)
            {
                _bench!.Bulkhead.Reconfigure(
                    new BulkheadOptions
                    {
                        MaxPerEndpoint = 1,
                        Name = "outgoing",
                        TimeProvider = _bench.Clock,
                        Observer = this,
                    });
            }
        }
    }
}
