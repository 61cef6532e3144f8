using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Samples;

public sealed class ConsoleSamples
{
    [Fact]
    public async Task FirstProgram_serves_ten_callers_with_two_sessions()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("FirstProgram"));

        Assert.Equal(0, run.ExitCode);
        Assert.StartsWith("Hello, pool.", run.Output, StringComparison.Ordinal);
        Assert.EndsWith("10 callers, 2 sessions.", run.Output.Trim(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cookbook_runs_every_recipe()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("Cookbook"));

        Assert.Equal(0, run.ExitCode);
        string[] results =
        [
            "crm: waited for Return, 1 leased.",
            "Rejected after 0 s: one caller waits already.",
            "AGAIN",
            "At once, not after OutageTimeout: The server is down.",
            "Destroyed as tainted: 1.",
            "Idle before the first caller: 4.",
            "Replaced: 4.",
            "Too small, or items are kept too long:",
            "A SESSION OF ONE OF 1 TENANT",
            "ADA",
            "Request 2: 1 in the basket.",
            "SQLite 3: True",
            "The same code, another provider.",
        ];
        Assert.All(results, result => Assert.Contains(result, run.Output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("throw", 0, "")]
    [InlineData("report/2", 0, "")]
    [InlineData("always", 134, "POOLHOUSE_PARANOID is \"always\"; allowed: 0, 1, report or throw")]
    public async Task FirstProgram_runs_in_paranoid_mode_and_an_invalid_mode_is_named(string mode, int exitCode, string error)
    {
        var dotnet = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

        var run = await CommandLine.RunAsync(dotnet, [RepositoryFiles.OutputOf("FirstProgram")], [("POOLHOUSE_PARANOID", mode)]);

        Assert.Equal(exitCode, run.ExitCode);
        Assert.Contains(error, run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task NativeHost_registers_every_kind_of_pool()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("NativeHost"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            """
            sessions: ResourcePool of Session, at most 3, working
            one: ResourcePool of Session, at most 1, working
            objects: TieredObjectPool of Session, at most 0, working
            workers: WorkerPool of Session, at most 2, working
            database: PooledDataSource of DbConnection, at most 7, working
            directory: LdapConnectionPool of PooledLdapConnection, at most 2, working
            rates: Bulkhead of HttpRequestMessage, at most 40, working
            Healthy
            503
            Poolhouse
            """,
            run.Output.Trim());
    }

    [Fact]
    public async Task HelloPools_shows_every_lesson()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("HelloPools"));

        Assert.Equal(0, run.ExitCode);
        string[] lessons =
        [
            "Hello, pool.",
            "report-texts retains up to 200.",
            "The next basket starts at 0.",
            "DoubleReturn",
            "16 created ahead of demand, 16 destroyed again.",
            "Active: False. Double returns: 1.",
            "1 discarded, 1 detached, 0 names.",
            "Asked for 1000 bytes, got 1024.",
            "The next key buffer is zero: True.",
            "Asked for 1000 bytes, got 1000.",
            "14 bytes of JSON.",
            "handed over without a copy",
            "Hello, stream.",
            "The blocks wait for previews: True.",
            "The next stream's block is zero: True.",
            "reports/monthly: 8 bytes.",
            "Not disposed: 0.",
            "ToArray is disabled here.",
            "15 bytes of JSON in a stream.",
            "3 cups through a pipe.",
            "A verb of 3 bytes.",
            "handed over, not copied",
            "3, 0 and 5.",
            "3 files in an archive: True.",
            "100000 bytes are less than 1000 now: True.",
            "10 bytes sent.",
            "100 rents: 99 hits, 1 miss.",
            "Under pressure 10 of 10 were destroyed.",
            "poolhouse.pool.returns 1 poolhouse.pool.name=order-lines",
            "Hello, resource pool, was sent over link 1.",
            "Nothing idle: True.",
            "1 tainted, 1 discarded, 1 detached.",
            "Waited for Return; 1 leased.",
            "Drained: 0 alive.",
            "Waited 30 s on the pool's clock.",
            "orders: leased for 60 s, rented here:",
            "Links disposed: 2.",
        ];
        Problems.AssertNone(lessons.Except(run.Output.Split(Environment.NewLine), StringComparer.Ordinal));
    }

    [Fact]
    public async Task TcpPool_creates_validates_resets_and_taints()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("TcpPool"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "Hello, pool.",
                "Lease 2 of this item, 1 connection.",
                "Ada: mine",
                "not hers any more",
                "The server closed the connection: True.",
                "Broken: 1.",
                "a new connection",
                "another one, and no error",
                "Tainted: 1.",
                "8 rents, 3 created, 3 destroyed, 0 leased.",
                "Hello, west.",
                "Hello, east.",
                "2 servers, 3 connections created, 1 evicted.",
                "Hello, primary.",
                "Hello, standby.",
                "1 created, 0 alive.",
                "1 created, 1 alive.",
                "20 answers, 0 mixed up, at most 2 connections: True.",
                "… and its current users continue",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task ContractTests_runs_the_same_checks_in_each_framework()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("ContractTests"));

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("Kept: An item has one owner at a time", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task PoolTests_finds_every_fault()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("PoolTests"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "2 creations, 1 reset, 0 alive.",
                "400 rents, 0 violations.",
                "Pool 'frames': an item was not returned",
                "Array pool of .NET, 128 elements: an item was not returned",
                "0 leaks at the end.",
                "mine",
                "Tainted: 1.",
                "after the outage",
                "0123456789",
                "012",
                .. run.Output.Contains("No directory: ", StringComparison.Ordinal)
                    ? (string[])[run.Output.TrimEnd().Split(Environment.NewLine)[^1]]
                    : ["uid=ann,dc=example,dc=org", "InsufficientAccessRights.", "Error 81."],
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries)
                .Where(static line => !line.StartsWith("   at ", StringComparison.Ordinal))
                .Select(static line => line.Split(';')[0])
                .Distinct(StringComparer.Ordinal));
    }

    private static void SkipWithoutDirectory(string output)
    {
        if (output.StartsWith("No directory: ", StringComparison.Ordinal))
        {
            Assert.Skip(output.Trim());
        }
    }

    [Fact]
    public async Task ScriptWorkers_keeps_every_interpreter_on_its_thread()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("ScriptWorkers"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "x + x is 6.",
                "An interpreter belongs to the thread that created it.",
                "From a thread that cannot await: 42.",
                "9 items, 3 interpreters: 2 used by MaxItems, 1 tainted by a failure.",
                "2 interpreters reloaded; the rate is 7.",
                "Accepted: True. clean up: 'nobody' is not known.",
                "Of the first 4 that began 3 were interactive; then rrrr.",
                "In order for each of 3: True.",
                "Refused: 1 waits already.",
                "Out of time: Run.",
                "The next one gets a new thread: 2.",
                "Abandoned and still running: 1.",
                "Before and after an await: 42.",
                "By the scheduler: 3.",
                "A worker that would wait for its own pool gets an exception: True.",
                "1 never began; still running: nightly.",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task SmtpPool_sends_many_messages_over_few_sessions()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("SmtpPool"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "12 mails over 3 sessions.",
                "Refused: 550 no such user.",
                "13 mails, still 3 sessions.",
                "14 resets, 3 sessions said goodbye.",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task LdapLogin_accepts_the_right_password()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("LdapLogin"));

        SkipWithoutDirectory(run.Output);
        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                """ada: {"name":"uid=ada,dc=example,dc=org","groups":["engineers"]}""",
                "ada: Unauthorized",
                "ada: Unauthorized",
                "a*: Unauthorized",
                "5 operations over 1 connection, 2 passwords over 1.",
                "The service is dn:cn=app,dc=example,dc=org.",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task LdapSearch_finds_entries_and_keeps_its_identity()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("LdapSearch"));

        SkipWithoutDirectory(run.Output);
        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "7 entries.",
                "host7 is itself: CompareTrue.",
                "Refused: 49.",
                "The next one is dn:cn=reader,dc=example,dc=org, over 1 connection.",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries)
                .Where(line => !line.StartsWith("cn=", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task OutgoingHttp_shows_every_lesson()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("OutgoingHttp"));

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(
            [
                "20 answers, never more than 4 at once: True.",
                "1 under way while the body is read, 0 after it.",
                "Not sent: QueueFull.",
                "8 connections, 40 requests over 4 shards.",
                "Replaced: 2. The response goes on: 30 characters.",
                "8 connections before the first request.",
            ],
            run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task StreamsApi_calls_itself_and_returns_every_stream()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("StreamsApi"));

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("Once more: NotModified.", run.Output, StringComparison.Ordinal);
        Assert.Contains("\"leased\":0", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WebApp_calls_itself_and_finds_no_dirty_item()
    {
        var run = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("WebApp"));

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("2400 requests, 0 dirty items.", run.Output, StringComparison.Ordinal);
        Assert.Equal(3, run.Output.Split(": 800 rents, ").Length - 1);
    }

    [Fact]
    public void The_native_sample_names_every_public_type()
    {
        var source = string.Concat(RepositoryFiles.Files("*.cs", "samples", "NativeAot").Select(File.ReadAllText));
        var types = typeof(IPool).Assembly.GetExportedTypes();

        Problems.AssertNone(types.Select(type => type.Name.Split('`')[0]).Where(name => !Mentions(source, name)));
    }

    private static bool Mentions(string source, string type) =>
        Regex.IsMatch(source, @$"\b{type}\b", RegexOptions.None, TimeSpan.FromSeconds(10));
}
