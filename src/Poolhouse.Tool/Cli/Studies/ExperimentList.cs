using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Spectre.Console;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>The output of <c>bench --list</c>.</summary>
internal static class ExperimentList
{
    public static void Print(IAnsiConsole console)
    {
        foreach (var group in Catalog.All.GroupBy(study => study.Group, StringComparer.Ordinal))
        {
            var remark = Catalog.IsInDefault(group.Key) ? "" : ", only by name";
            console.WriteLine($"{group.Key} (about {Time(group)}{remark})");
            var grid =
                new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn(new GridColumn().NoWrap().RightAligned()).AddColumn();
            foreach (var study in group)
            {
                grid.AddRow(new Text($"  {study.Id}"), new Text(Time([study])), new Text(study.Question));
            }

            console.Write(grid);
        }

        console.WriteLine();
        console.WriteLine(
            $"'poolhouse bench' runs {Catalog.Everything}, except what runs only by name and what needs PostgreSQL: about "
            + $"{Time(Catalog.Select(Catalog.Everything).Where(study => study.Needs is null or DatabaseKind.Sqlite))} on 2 cores. "
            + "'poolhouse bench NAME' takes the name of a group or of an experiment.");
    }

    private static string Time(IEnumerable<Study> studies) =>
        Units.Duration(studies.Sum(study => Catalog.UsualTime(study).TotalNanoseconds));
}
