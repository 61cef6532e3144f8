using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Http.Json;
using System.Text.RegularExpressions;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests;

/// <summary>
/// The sample shop as a process of its own, over HTTP: under load, reconfigured, with its server restarted beneath it, and
/// drained.
/// </summary>
public sealed class ShopRuns
{
    private const string Entries =
        """
        dn: dc=example,dc=org
        objectClass: dcObject
        objectClass: organization
        dc: example
        o: Example

        dn: uid=ada,dc=example,dc=org
        objectClass: inetOrgPerson
        uid: ada
        cn: Ada
        sn: Byron
        userPassword: for ada
        """;

    // How a connection fails depends on how far it has come when the server stops: refused, reset or closed before or within the
    // handshake, or turned away by a server that is shutting down.
    private const string RefusalsOfPostgres =
        @"because of Npgsql\.(PostgresException \(57P0[13]\)|NpgsqlException because of System\.(IO\.EndOfStreamException|" +
        @"(IO\.IOException because of System\.)?Net\.Sockets\.SocketException \(Connection(Refused|Reset)\)))\. ";

    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(3);

    [Fact]
    public async Task It_needs_no_server()
    {
        await using var shop = await ShopProcess.StartAsync([], _longest);

        Assert.Equal(HttpStatusCode.Created, await OrderAsync(shop, password: "none"));
        Assert.Equal("2 x mug: 24.20 USD\n", await shop.GetAsync("/orders/ada/receipt?currency=USD"));
        Assert.Equal("Healthy", await shop.GetAsync("/health"));
        Assert.Equal(0, await shop.StopAsync());
    }

    [Fact]
    public async Task No_request_fails_while_the_shop_is_reconfigured_its_server_restarted_and_the_shop_stopped()
    {
        await using var postgres = await PostgresServer.StartOwnAsync();

        // A busy machine may need longer than the default for a restart.
        var settings = await ConnectionsAsync(postgres);
        settings["Poolhouse__shop__Pool__OutageTimeout"] = settings["Poolhouse__orders__Pool__OutageTimeout"] = "00:00:30";
        await using var shop = await ShopProcess.StartAsync(settings, _longest);

        using (var load = new Load(shop))
        {
            await load.ServesAsync(30);

            shop.EditSettings("\"MaxSize\": 8", "\"MaxSize\": 5");
            await shop.WaitForLogAsync("MaxSize: 8 -> 5");
            await load.ServesAsync(30);

            await postgres.RestartAsync();
            await load.ServesAsync(60);
            await load.StopAsync();
        }

        await AssertEndsWithoutATraceAsync(shop, postgres);
    }

    [Fact]
    public async Task While_its_database_is_down_every_request_is_told_so_and_the_log_says_why_once()
    {
        await using var postgres = await PostgresServer.StartOwnAsync();

        // A caller that the outage does not end waits longer than the test does.
        var settings = await ConnectionsAsync(postgres);
        settings["Poolhouse__shop__Pool__RentTimeout"] = settings["Poolhouse__orders__Pool__RentTimeout"] = "01:00:00";
        await using var shop = await ShopProcess.StartAsync(settings, _longest);
        using var visitors = new Visitors(shop);
        await visitors.GetMoreAnswersAsync(50, IsServed);

        var before = visitors.Answers.Count;
        await postgres.StopAsync();
        await shop.WaitForLogAsync("Pool 'shop' is in an outage");
        await shop.WaitForLogAsync("Pool 'orders' is in an outage");
        await UntilAsync(async () => await StatusAsync(shop, "/health") == HttpStatusCode.ServiceUnavailable);
        Assert.Equal(2, (await shop.GetAsync("/pools")).Split("\"state\": \"outage\"").Length - 1);
        await visitors.GetMoreAnswersAsync(16, answer => !IsServed(answer));
        var during = visitors.Answers.Count;
        await postgres.StartAgainAsync();
        await visitors.GetMoreAnswersAsync(50, IsServed);
        await visitors.StopAsync();

        Assert.All(visitors.Answers.Index().Skip(before).Where(answer => !IsServed(answer.Item)), answer =>
        {
            var (index, refusal) = answer;
            Assert.Equal((HttpStatusCode.ServiceUnavailable, true), (refusal.Status, refusal.HasRetryAfter));
            Assert.Contains("\"state\":\"outage\"", refusal.Text, StringComparison.Ordinal);

            // The last ones may be refused just as the outage ends.
            Assert.Contains(index < during ? "Outage since " : "Outage", refusal.Text, StringComparison.Ordinal);
        });
        foreach (var pool in (string[])["shop", "orders"])
        {
            var line = Assert.Single(shop.GetLog($"Pool '{pool}' is in an outage").Split('\n'));
            Assert.True(Regex.IsMatch(line, RefusalsOfPostgres, RegexOptions.ExplicitCapture, _longest), line);
            Assert.Contains(
                "callers refused: ", Assert.Single(shop.GetLog($"Pool '{pool}' creates items again").Split('\n')),
                StringComparison.Ordinal);
        }

        Assert.Empty(shop.GetLog("no item within"));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(shop, "/health"));
        Assert.Equal(0, await shop.StopAsync());

        static bool IsServed(Answer answer) => answer.Status is HttpStatusCode.OK or HttpStatusCode.Created;
    }

    [Fact]
    public async Task A_customer_logs_in_with_the_password_of_the_directory()
    {
        Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);
        await using var slapd = await TemporarySlapd.StartAsync(new TemporarySlapdOptions { Ldif = Entries });
        var address = string.Create(CultureInfo.InvariantCulture, $"Server={slapd.Host}:{slapd.Port}");
        await using var shop = await ShopProcess.StartAsync(
            new()
            {
                ["ConnectionStrings__directory"] = $"{address}; User Name=\"{slapd.AdminDn}\"; Password={slapd.AdminPassword}",
            }, _longest);

        Assert.Equal(HttpStatusCode.Unauthorized, await OrderAsync(shop, password: "wrong"));
        Assert.Equal(HttpStatusCode.Created, await OrderAsync(shop, password: "for ada"));
    }

    private static async Task<Dictionary<string, string>> ConnectionsAsync(TemporaryPostgres postgres)
    {
        await using var source = NpgsqlDataSource.Create(postgres.ConnectionString + ";Pooling=false");
        await using var command = source.CreateCommand("CREATE DATABASE shop");
        await command.ExecuteNonQueryAsync();
        return new() { ["ConnectionStrings__postgres"] = postgres.ConnectionString + ";Database=shop" };
    }

    private static async Task<HttpStatusCode> OrderAsync(ShopProcess shop, string password)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/orders", UriKind.Relative));
        request.Content = JsonContent.Create(new { id = Guid.NewGuid(), customer = "ada", cup = "mug", count = 2 });
        request.Headers.Add("X-Password", password);
        using var response = await shop.Client.SendAsync(request);
        return response.StatusCode;
    }

    /// <summary>
    /// Requests whose statements are in progress when the app begins to stop are answered, and no session stays at the server.
    /// </summary>
    private static async Task AssertEndsWithoutATraceAsync(ShopProcess shop, TemporaryPostgres postgres)
    {
        await using var source = NpgsqlDataSource.Create(postgres.ConnectionString + ";Database=shop;Pooling=false");
        await using var locking = await source.OpenConnectionAsync();

        // Another session, because a transaction sees the activity of the server as it was at its first look.
        await using var connection = await source.OpenConnectionAsync();
        List<Task<string>> answers;
        await using (var transaction = await locking.BeginTransactionAsync())
        {
            await ExecuteAsync(locking, "LOCK TABLE cups IN ACCESS EXCLUSIVE MODE");
            answers = [.. Enumerable.Range(0, 4).Select(_ => shop.GetAsync("/cups"))];
            await UntilAsync(async () => await CountAsync(connection, "wait_event_type = 'Lock'") == 4);
            Assert.Equal(4, (await shop.GetAsync("/pools")).Split("\"label\": \"/cups\"").Length - 1);
            var health = await shop.GetAsync("/health");
            var isHealthy = string.Equals(health, "Healthy", StringComparison.Ordinal);
            Assert.True(isHealthy, $"The shop is {health}. {shop.GetLog("Health check")} {await shop.GetAsync("/pools")}");

            shop.AskToStop();
            await shop.WaitForLogAsync("Application is shutting down");
            Assert.All(answers, answer => Assert.False(answer.IsCompleted));
            await transaction.RollbackAsync();
        }

        Assert.All(await Task.WhenAll(answers), answer => Assert.Contains("espresso", answer, StringComparison.Ordinal));
        await shop.WaitForLogAsync("Pool 'shop' was drained in");
        Assert.Equal(0, await shop.WaitForExitAsync());
        await locking.CloseAsync();
        await UntilAsync(async () => await CountAsync(connection, "backend_type = 'client backend'") == 0);
    }

    private static async Task<HttpStatusCode> StatusAsync(ShopProcess shop, string path)
    {
        using var response = await shop.Client.GetAsync(new Uri(path, UriKind.Relative));
        return response.StatusCode;
    }

    private static async Task<long> CountAsync(NpgsqlConnection connection, string condition)
    {
        await using var command = new NpgsqlCommand(
            $"SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid() AND {condition}",
            connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private static Task UntilAsync(Func<Task<bool>> condition) => Patience.UntilAsync(
        () => new ValueTask<bool>(condition()), static isReached => isReached, "the shop or its database is as expected",
        _longest);

    /// <summary>
    /// Customers who look, order and read their receipts until they are stopped. Any answer but a success fails the test.
    /// </summary>
    private sealed class Load : IDisposable
    {
        private readonly ShopProcess _shop;
        private readonly CancellationTokenSource _stopped = new();
        private readonly Task[] _customers;
        private readonly SemaphoreSlim _visits = new(0);

        public Load(ShopProcess shop)
        {
            _shop = shop;
            _customers = [.. Enumerable.Range(0, 8)
                .Select(number => Task.Run(() => VisitAsync(string.Create(CultureInfo.InvariantCulture, $"customer{number}"))))];
        }

        /// <summary>Waits for so many more visits, of three requests each; fails at once if a request failed.</summary>
        public async Task ServesAsync(int more)
        {
            for (var visit = 0; visit < more; visit++)
            {
                var ended = Task.WhenAny(_customers);
                if (await Task.WhenAny(_visits.WaitAsync(_longest), ended) == ended)
                {
                    await await ended;
                }
            }
        }

        public async Task StopAsync()
        {
            await _stopped.CancelAsync();
            await Task.WhenAll(_customers);
        }

        public void Dispose()
        {
            _stopped.Cancel();
            _stopped.Dispose();
            _visits.Dispose();
        }

        private async Task VisitAsync(string name)
        {
            var ordered = 0;
            while (!_stopped.IsCancellationRequested)
            {
                Assert.Contains("espresso", await _shop.GetAsync("/cups"), StringComparison.Ordinal);
                var order = new { id = Guid.NewGuid(), customer = name, cup = "latte", count = 1 };
                using var response = await _shop.Client.PostAsJsonAsync(new Uri("/orders", UriKind.Relative), order);
                Assert.Equal(HttpStatusCode.Created, response.StatusCode);
                ordered++;
                var receipt = await _shop.GetAsync($"/orders/{name}/receipt?currency=EUR");
                Assert.Equal(string.Concat(Enumerable.Repeat("1 x latte: 14.00 EUR\n", ordered)), receipt);
                _visits.Release();
            }
        }
    }

    private sealed record Answer(HttpStatusCode Status, bool HasRetryAfter, string Text);

    /// <summary>Customers who look, or order and read their orders, until they are stopped, whatever the answers are.</summary>
    // One request uses one pool, and a customer whose request waits out the outage of one pool does not use the other meanwhile.
    private sealed class Visitors : IDisposable
    {
        private readonly ShopProcess _shop;
        private readonly CancellationTokenSource _stopped = new();
        private readonly ConcurrentQueue<Answer> _answers = [];
        private readonly Task[] _customers;

        public Visitors(ShopProcess shop)
        {
            _shop = shop;
            _customers =
            [
                .. "abcd".Select(_ => Task.Run(LookAsync)),
                .. "efgh".Select(name => Task.Run(() => OrderAsync($"customer-{name}"))),
            ];
        }

        public ConcurrentQueue<Answer> Answers => _answers;

        /// <summary>Waits until so many more answers fulfil a condition; fails at once if a request failed.</summary>
        public async Task GetMoreAnswersAsync(int count, Func<Answer, bool> condition)
        {
            var goal = _answers.Count(condition) + count;
            await UntilAsync(async () =>
            {
                if (Array.Find(_customers, customer => customer.IsCompleted) is { } ended)
                {
                    await ended;
                }

                return _answers.Count(condition) >= goal;
            });
        }

        public async Task StopAsync()
        {
            await _stopped.CancelAsync();
            await Task.WhenAll(_customers);
        }

        public void Dispose()
        {
            _stopped.Cancel();
            _stopped.Dispose();
        }

        private async Task LookAsync()
        {
            while (!_stopped.IsCancellationRequested)
            {
                await AskAsync(HttpMethod.Get, "/cups");
            }
        }

        private async Task OrderAsync(string name)
        {
            while (!_stopped.IsCancellationRequested)
            {
                await AskAsync(
                    HttpMethod.Post, "/orders", new { id = Guid.NewGuid(), customer = name, cup = "latte", count = 1 });
                await AskAsync(HttpMethod.Get, $"/orders/{name}");
            }
        }

        private async Task AskAsync(HttpMethod method, string path, object? body = null)
        {
            using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
            request.Content = body is null ? null : JsonContent.Create(body);
            using var response = await _shop.Client.SendAsync(request);
            var text = await response.Content.ReadAsStringAsync();
            _answers.Enqueue(new Answer(response.StatusCode, response.Headers.RetryAfter is not null, text));
        }
    }
}
