using System.Diagnostics;
using System.Text.Json;
using Poolhouse.Tool.Bench.Report;

namespace Poolhouse.Tool.Tests.Report;

/// <summary>The page as a browser lays it out.</summary>
public sealed class RealBrowser(WholeReport report)
{
    private static readonly string[] _names = ["chromium", "chromium-browser", "google-chrome"];
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

    // Measured in the browser: sizes of charts, texts that overlap or are clipped, and whether the page is wider than its window.
    private const string Probe = """
        <script>
        document.querySelectorAll('details').forEach(each => each.open = true);
        const look = width => {
          document.documentElement.style.width = width + 'px';
          const charts = [...document.querySelectorAll('figure svg')];
          const boxes = charts.map(svg => svg.getBoundingClientRect());
          const faults = [];
          charts.forEach((svg, i) => {
            const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
            texts.forEach(([name, a], j) => {
              const cut = a.right > boxes[i].right + 1 || a.left < boxes[i].left - 1 || a.bottom > boxes[i].bottom + 1;
              if (cut) faults.push(name + ' is cut off');
              texts.slice(j + 1).forEach(([other, b]) => {
                const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (wide > 1 && high > 4) faults.push(svg.querySelector('title').textContent + ': ' + name + ' meets ' + other);
              });
            });
          });
          const empty = boxes.filter(box => box.width < 100 || box.height < 60).length;
          return { Width: width, Charts: charts.length, Empty: empty, Faults: faults,
            Overflow: document.body.scrollWidth - Math.ceil(document.body.getBoundingClientRect().width) };
        };
        document.body.dataset.looks = encodeURIComponent(JSON.stringify([360, 800, 1200].map(look)));
        </script>
        """;

    [Fact]
    public async Task Charts_have_a_size_and_texts_neither_overlap_nor_are_clipped()
    {
        var browser = Browser();
        Assert.SkipWhen(browser is null, "chromium is not installed");
        await report.GetRunAsync();
        using var folder = new TemporaryFolder();
        var page = File.ReadAllText(report.At("report", ReportWriter.Page));
        var probed = folder.Write("probed.html", page.Replace("</body>", Probe + "</body>", StringComparison.Ordinal));

        var dom = await Run(browser, folder, "--dump-dom", new Uri(probed).AbsoluteUri);

        const string Attribute = "data-looks=\"";
        var start = dom.IndexOf(Attribute, StringComparison.Ordinal) + Attribute.Length;
        var looks = JsonSerializer.Deserialize<Look[]>(Uri.UnescapeDataString(dom[start..dom.IndexOf('"', start)]))!;
        Assert.Equal(3, looks.Length);
        Assert.All(looks, look =>
        {
            Assert.True(look.Charts >= 20);
            Assert.Equal(0, look.Empty);
            Assert.Equal("", string.Join("; ", look.Faults.Distinct(StringComparer.Ordinal)));
            Assert.Equal(0, look.Overflow);
        });
    }

    [Fact]
    public async Task The_page_renders_in_dark_and_light_mode()
    {
        var browser = Browser();
        Assert.SkipWhen(browser is null, "chromium is not installed");
        await report.GetRunAsync();
        using var folder = new TemporaryFolder();

        foreach (var scheme in new[] { "0", "1" })
        {
            await Run(
                browser,
                folder,
                $"--blink-settings=preferredColorScheme={scheme}",
                $"--screenshot={folder.At($"{scheme}.png")}",
                "--window-size=800,1200",
                new Uri(report.At("report", ReportWriter.Page)).AbsoluteUri);
            Assert.True(new FileInfo(folder.At($"{scheme}.png")).Length > 20_000);
        }

        Assert.NotEqual(
            await File.ReadAllBytesAsync(folder.At("0.png"), TestContext.Current.CancellationToken),
            await File.ReadAllBytesAsync(folder.At("1.png"), TestContext.Current.CancellationToken));
    }

    private static string? Browser()
    {
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        return folders.SelectMany(folder => _names.Select(name => Path.Combine(folder, name))).FirstOrDefault(File.Exists);
    }

    private static async Task<string> Run(string browser, TemporaryFolder folder, params string[] arguments)
    {
        string[] quiet =
        [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
            "--hide-scrollbars",
            $"--user-data-dir={folder.At("profile")}",
        ];
        var start = new ProcessStartInfo(browser, [.. quiet, .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        using var deadline = new CancellationTokenSource(_longest);
        try
        {
            var errors = process.StandardError.ReadToEndAsync(deadline.Token);
            var output = await process.StandardOutput.ReadToEndAsync(deadline.Token);
            await errors;
            await process.WaitForExitAsync(deadline.Token);
            return output;
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    // Public, because the serializer makes it and no code here does.
    public sealed record Look(int Width, int Charts, int Empty, IReadOnlyList<string> Faults, double Overflow);
}
