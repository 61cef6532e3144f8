using BenchmarkDotNet.Running;
using Poolhouse.Benchmarks.Bars;

// Without arguments BenchmarkDotNet asks which benchmark to run; `--bars` is the short interleaved run behind eng/bars.sh.
if (args is ["--bars", .. var rest])
{
    return BarRun.Run(rest);
}

BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
return 0;
