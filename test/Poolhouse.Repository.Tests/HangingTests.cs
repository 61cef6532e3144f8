using System.Xml.Linq;

namespace Poolhouse.Repository.Tests;

/// <summary>
/// What the test command reports when a test hangs: the tests below are run by this one, in a process of their own.
/// </summary>
public sealed class HangingTests
{
    [Fact]
    public async Task A_test_that_hangs_fails_by_the_limit_with_pools_and_stacks_and_the_report_of_the_others_is_kept()
    {
        using var folder = new TemporaryFolder();
        var report = Path.Combine(folder.Path, "report.xml");
        var temporary = Directory.CreateDirectory(Path.Combine(folder.Path, "temporary")).FullName;

        var run = await CommandLine.RunAsync(
            Environment.ProcessPath!,
            ["-noLogo", "-noColor", "-explicit", "only", "-class", typeof(OnPurpose).FullName!, "-result-xml", report],
            [("POOLHOUSE_TEST_LIMIT", "3"), ("TMPDIR", temporary)]);

        Assert.NotEqual(0, run.ExitCode);
        Assert.Empty(Directory.GetFiles(temporary, "*.nettrace*"));
        Assert.True(File.Exists(Path.Combine(temporary, nameof(OnPurpose.A_loop_that_observes_the_token))));
        var results = XDocument.Load(report).Descendants("test").ToDictionary(test => (string)test.Attribute("method")!);
        Assert.Equal("Pass", (string?)results[nameof(OnPurpose.A_test_that_passes)].Attribute("result"));
        foreach (var hung in new[]
        {
            nameof(OnPurpose.A_caller_that_blocks_forever),
            nameof(OnPurpose.A_caller_that_awaits_forever),
            nameof(OnPurpose.A_loop_that_observes_the_token),
        })
        {
            Assert.Equal("Fail", (string?)results[hung].Attribute("result"));
            Assert.Contains("did not end within 00:00:03", results[hung].Value, StringComparison.Ordinal);
            Assert.Matches(hung + ": status/[a-z]+ 1, item.count/leased 1", results[hung].Value);
        }

        Assert.Contains(
            "OnPurpose.A_caller_that_blocks_forever()",
            results[nameof(OnPurpose.A_caller_that_blocks_forever)].Value,
            StringComparison.Ordinal);
    }

    public sealed class OnPurpose
    {
        [Fact(Explicit = true)]
        public void A_test_that_passes() => Assert.NotEqual(0, Environment.ProcessId);

        [Fact(Explicit = true)]
        public void A_caller_that_blocks_forever()
        {
            using var pool = Exhausted(nameof(A_caller_that_blocks_forever));
            using var lease = pool.Rent(TestContext.Current.CancellationToken);
        }

        [Fact(Explicit = true)]
        public async Task A_caller_that_awaits_forever()
        {
            await using var pool = Exhausted(nameof(A_caller_that_awaits_forever));
            using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        }

        [Fact(Explicit = true)]
        public async Task A_loop_that_observes_the_token()
        {
            await using var pool = Exhausted(nameof(A_loop_that_observes_the_token));
            while (!TestContext.Current.CancellationToken.IsCancellationRequested)
            {
                await Task.Yield();
            }

            await File.WriteAllTextAsync(Path.Combine(Path.GetTempPath(), nameof(A_loop_that_observes_the_token)), "");
        }

        private static ResourcePool<object> Exhausted(string name)
        {
            var options = new ResourcePoolOptions { Name = name, MaxSize = 1, RentTimeout = Timeout.InfiniteTimeSpan };
            var pool = ResourcePool.Create(_ => ValueTask.FromResult(new object()), options);
            _ = pool.Rent();
            return pool;
        }
    }
}
