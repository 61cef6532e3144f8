using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;
using Spectre.Console;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The output of a run, checked before anything is measured.</summary>
internal sealed class ReportTarget
{
    private readonly string _requested;
    private readonly string _folder;
    private readonly string? _json;

    /// <param name="requested">The requested folder.</param>
    /// <param name="json">A second file for the results, or null.</param>
    /// <exception cref="UsageException">
    /// A name is blank, or a file or folder exists; nothing is ever overwritten.
    /// </exception>
    public ReportTarget(string requested, string? json)
    {
        CheckJson(json);
        _requested = requested;
        _folder = ReportFolder.Choose(requested);
        _json = json;
        CheckWritable();
        CheckJsonWritable();
    }

    /// <exception cref="UsageException">The report could not be written.</exception>
    public void Write(BenchResult result, IAnsiConsole console)
    {
        try
        {
            ReportWriter.Write(_folder, result);
            if (_json is { } json)
            {
                File.WriteAllText(json, JsonReport.Write(result));
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"The report could not be written: {exception.Message}", exception);
        }

        BenchConsole.PrintLocation(console, _folder, _requested, _json);
    }

    // Measuring takes minutes: what cannot be written should be known before.
    private void CheckWritable()
    {
        try
        {
            var existed = Directory.Exists(_folder);
            Directory.CreateDirectory(_folder);
            var probe = Path.Combine(_folder, ReportFolder.Marker);
            File.WriteAllBytes(probe, []);
            File.Delete(probe);
            if (!existed)
            {
                Directory.Delete(_folder);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException(
                $"--report '{_requested}' cannot be written to: {exception.Message} Specify another folder.", exception);
        }
    }

    private void CheckJsonWritable()
    {
        if (_json is null)
        {
            return;
        }

        try
        {
            File.Open(_json, FileMode.CreateNew).Dispose();
            File.Delete(_json);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException(
                $"--json '{_json}' cannot be written: {exception.Message} Specify another file.", exception);
        }
    }

    private static void CheckJson(string? json)
    {
        if (json is null)
        {
            return;
        }

        if (string.IsNullOrWhiteSpace(json))
        {
            throw new UsageException("--json is blank. Specify a file.");
        }

        if (Path.Exists(json))
        {
            throw new UsageException($"--json '{json}' exists; nothing is overwritten. Specify another file, or move it away.");
        }

        if (Path.GetDirectoryName(Path.GetFullPath(json)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"--json '{json}': the folder '{folder}' does not exist. Create it, or use another file.");
        }
    }
}
