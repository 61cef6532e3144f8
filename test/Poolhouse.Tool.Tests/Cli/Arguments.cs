using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class Arguments
{
    [Theory]
    [InlineData("bench", "nonsense")]
    [InlineData("bench", "--nonsense")]
    [InlineData("bench", "--threads")]
    [InlineData("nonsense")]
    [InlineData]
    public async Task An_invalid_command_line_is_explained_with_exit_code_2(params string[] args)
    {
        var run = await ToolRun.Of(args);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--help", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Theory]
    [InlineData(
        "'strings' is not an experiment. Did you mean 'streams'? There are objects, arrays, files, streams", "bench", "strings")]
    [InlineData("'xyz' is not an experiment. There are objects", "bench", "xyz")]
    [InlineData("'object-threads' is not an experiment. Did you mean 'objects-threads'?", "bench", "object-threads")]
    [InlineData("'strems' is not an experiment. Did you mean 'streams'?", "bench", "arrays", "strems")]
    [InlineData("'--quik' is not an option of 'poolhouse bench'. Did you mean '--quick'?", "bench", "--quik")]
    [InlineData("Name a command: bench, size, ps, watch, advise or fleet. See 'poolhouse --help'.")]
    [InlineData("'bnech' is not a command or option of 'poolhouse'. Did you mean 'bench'? See 'poolhouse --help'.", "bnech")]
    [InlineData("'frobnicate' is not a command or option of 'poolhouse'. See 'poolhouse --help'.", "frobnicate")]
    public async Task An_unknown_word_gets_one_message_with_a_suggestion(string message, params string[] args)
    {
        var run = await ToolRun.Of(args);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(message, run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("'--conection' is not a command or option of 'poolhouse size'. Did you mean '--connection'?",
        "size", "--provider", "npgsql", "--query", "SELECT 1", "--conection=Host=db;Password=hunter2")]
    [InlineData("'Mode' is not a command or option of 'poolhouse size'.",
        "size", "--provider", "npgsql", "--query", "SELECT 1", "--connection", "Host=db;SSL", "Mode=Require;Password=hunter2")]
    [InlineData("'--postgress' is not an option of 'poolhouse bench'. Did you mean '--postgres'?",
        "bench", "--postgress:Host=db;Password=hunter2")]
    [InlineData("'Mode' is not an experiment.", "bench", "--postgres", "Host=db;SSL", "Mode=Require;Password=hunter2")]
    public async Task What_follows_an_unknown_word_is_not_shown(string message, params string[] args)
    {
        var run = await ToolRun.Of(args);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(message, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_value_that_begins_with_an_at_sign_is_no_file_of_arguments()
    {
        var run = await ToolRun.Of("bench", "arrays", "--bind-dn", "cn=app", "--bind-password", "@hunter2");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith("--bind-dn and --bind-password require --server.", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_experiment_of_a_group_can_be_measured_alone()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(["streams-alive.csv"], Directory.GetFiles(folder.At("report"), "*.csv").Select(Path.GetFileName));
        Assert.Contains("100 % streams-alive: ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_experiments_can_be_measured_together()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "bench", "streams-alive", "objects-threads", "streams-alive", "--threads", "1", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(
            ["objects-threads.csv", "streams-alive.csv"],
            Directory.GetFiles(folder.At("report"), "*.csv").Select(Path.GetFileName).Order());
    }

    [Fact]
    public async Task A_report_that_cannot_be_written_is_rejected_before_anything_is_measured()
    {
        using var folder = new TemporaryFolder();
        folder.Write("file", "");
        var run = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("file/report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith($"--report '{folder.At("file/report")}' cannot be written to: ", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Theory]
    [InlineData("--report")]
    [InlineData("--json")]
    public async Task A_blank_report_folder_or_json_file_is_named(string option)
    {
        var run = await ToolRun.Of("bench", "streams-alive", option, "");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(option + " is blank. ", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Theory]
    [InlineData("--compare")]
    [InlineData("--pdf")]
    [InlineData("--input")]
    public async Task A_blank_file_to_read_is_named(string option)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "streams", option, "", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith($"{option} ''", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_calls_the_tool_by_its_command()
    {
        Assert.Contains("poolhouse [command]", (await ToolRun.Of("--help")).Output, StringComparison.Ordinal);
        Assert.Contains("poolhouse bench", (await ToolRun.Of("bench", "--help")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_tells_that_a_native_library_is_needed() =>
        Assert.Matches(@"duckdb,\s+which\s+needs\s+the\s+native\s+library", (await ToolRun.Of("size", "--help")).Output);

    [Theory]
    [InlineData("0.0001 % when leased, 10.8 ms in all", "0.0001\u00A0% when leased, 10.8\u00A0ms in all")]
    [InlineData("4 sessions, 3 B.", "4 sessions, 3\u00A0B.")]
    public void A_browser_does_not_break_a_line_between_a_number_and_its_unit(string text, string shown) =>
        Assert.Equal(shown, Units.KeepTogether(text));

    [Theory]
    [InlineData("It takes 2.31 KiB", 14, "It takes", "2.31 KiB")]
    [InlineData("falls by −45 % now", 12, "falls by", "−45 % now")]
    [InlineData("4.89 ms, in 3 turns", 11, "4.89 ms, in", "3 turns")]
    [InlineData("a", 3, "a")]
    public void A_line_never_ends_between_a_number_and_its_unit(string text, int width, params string[] lines) =>
        Assert.Equal(lines, Wrapping.Wrap(text, width));

    [Theory]
    [InlineData("0")]
    [InlineData("257")]
    [InlineData("-1")]
    [InlineData("two")]
    [InlineData("1,,2")]
    [InlineData("1;2")]
    public async Task Invalid_thread_counts_are_named(string threads)
    {
        var run = await ToolRun.Of("bench", "objects", "--threads=" + threads);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("1 to 256", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Thread_counts_are_sorted_and_deduplicated()
    {
        Assert.True(ThreadCounts.TryParse("8, 1,2,8,256", out var counts, out _));
        Assert.Equal([1, 2, 8, 256], counts);
    }

    [Fact]
    public async Task A_missing_input_folder_is_named()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "files", "--input", folder.At("missing"), "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(folder.At("missing"), run.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Theory]
    [InlineData("no document at all")]
    [InlineData("")]
    [InlineData("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n")]
    public async Task An_invalid_pdf_is_named_with_its_option_before_anything_is_measured(string content)
    {
        using var folder = new TemporaryFolder();
        var file = folder.Write("broken.pdf", content);
        var run = await ToolRun.Of("bench", "streams", "--pdf", file, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains($"--pdf '{file}' is no PDF file", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Fact]
    public async Task A_missing_pdf_is_named_with_its_option()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "streams", "--pdf", folder.At("missing.pdf"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains($"--pdf '{folder.At("missing.pdf")}' cannot be read", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pdf_for_an_experiment_that_reads_none_is_rejected()
    {
        var run = await ToolRun.Of("bench", "files", "--pdf", "any.pdf");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("'files' reads no PDF", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_list_names_every_experiment_within_80_columns_and_measures_none()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "--list", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.All(
            Poolhouse.Tool.Bench.Catalog.All, experiment => Assert.Contains(experiment.Id, run.Output, StringComparison.Ordinal));
        Assert.All(run.Output.Split('\n'), line => Assert.True(line.TrimEnd().Length <= 80, line));
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Fact]
    public async Task Help_exits_without_an_error()
    {
        var run = await ToolRun.Of("bench", "--help");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("--threads", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_json_file_that_exists_is_not_overwritten()
    {
        using var folder = new TemporaryFolder();
        var json = folder.Write("results.json", "mine");
        var run = await ToolRun.Of("bench", "objects", "--json", json, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("nothing is overwritten", run.Error, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(json));
    }

    [Fact]
    public async Task A_json_file_in_a_missing_folder_is_rejected_before_anything_is_measured()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "objects", "--json", folder.At("missing", "x.json"), "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Empty(run.Output);
    }

    [Fact]
    public async Task A_json_file_that_cannot_be_written_is_rejected_before_anything_is_measured()
    {
        using var folder = new TemporaryFolder();
        var tooLong = folder.At(new string('x', 300));
        var run = await ToolRun.Of("bench", "objects", "--json", tooLong, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith("--json '", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Fact]
    public async Task A_folder_with_other_files_is_not_written_to()
    {
        using var folder = new TemporaryFolder();
        folder.Write("report/thesis.txt", "years of work");
        var run = await ToolRun.Of("bench", "objects", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("is not a report of poolhouse", run.Error, StringComparison.Ordinal);
        Assert.Equal(["thesis.txt"], Directory.GetFiles(folder.At("report")).Select(Path.GetFileName));
    }

    [Fact]
    public void Next_to_earlier_reports_the_next_free_name_is_used()
    {
        using var folder = new TemporaryFolder();
        Assert.Equal(folder.At("report"), ReportFolder.Choose(folder.At("report")));

        folder.Write("report/" + ReportFolder.Marker, "");
        Assert.Equal(folder.At("report-2"), ReportFolder.Choose(folder.At("report") + Path.DirectorySeparatorChar));

        folder.Write("report-2/anything", "");
        Assert.Equal(folder.At("report-3"), ReportFolder.Choose(folder.At("report")));
    }

    [Fact]
    public void An_empty_folder_can_be_used_and_a_file_cannot()
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder.At("empty"));
        folder.Write("file", "");

        Assert.Equal(folder.At("empty"), ReportFolder.Choose(folder.At("empty")));
        Assert.Throws<UsageException>(() => ReportFolder.Choose(folder.At("file")));
    }
}
