using Poolhouse.Tool.Bench;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>What <c>bench --list</c> prints.</summary>
internal static class ExperimentList
{
    public static void Print(IAnsiConsole console)
    {
        var grid = new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn(new GridColumn().NoWrap()).AddColumn();
        foreach (var study in Catalog.All)
        {
            grid.AddRow(new Text(study.Group), new Text(study.Id), new Text(study.Question));
        }

        console.Write(grid);
    }
}
